#ifndef DTVRKIT_CLIBAV_SHIM_H
#define DTVRKIT_CLIBAV_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/channel_layout.h>
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>

// Error codes and AV_NOPTS_VALUE are macros with casts and negations, which Swift does not import.
static const int dtvr_averror_eof = AVERROR_EOF;
static const int dtvr_averror_invaliddata = AVERROR_INVALIDDATA;
static const int dtvr_averror_eagain = AVERROR(EAGAIN);
static const int dtvr_averror_enomem = AVERROR(ENOMEM);
static const int64_t dtvr_nopts_value = AV_NOPTS_VALUE;

// Keeps libavformat from printing. A log callback is not possible: it takes a va_list, which Swift cannot express.
static inline void dtvr_av_log_quiet(void) {
    av_log_set_level(AV_LOG_QUIET);
}

#endif
