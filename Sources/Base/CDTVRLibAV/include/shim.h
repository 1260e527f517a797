#ifndef DTVRKIT_CLIBAV_SHIM_H
#define DTVRKIT_CLIBAV_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/channel_layout.h>
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>

#include "CDTVRLibrary.h"
#include "functions.h"

// Opens the libraries, keeps them from printing, and returns NULL; or the name of the one that cannot be opened.
DTVR_HIDDEN const char *dtvr_av_missing(void);

// Error codes and AV_NOPTS_VALUE are macros with casts and negations, which Swift does not import.
static const int dtvr_averror_eof = AVERROR_EOF;
static const int dtvr_averror_invaliddata = AVERROR_INVALIDDATA;
static const int dtvr_averror_eagain = AVERROR(EAGAIN);
static const int dtvr_averror_enomem = AVERROR(ENOMEM);
static const int dtvr_averror_enosys = AVERROR(ENOSYS);
static const int64_t dtvr_nopts_value = AV_NOPTS_VALUE;

#endif
