#ifndef DTVRKIT_CZSTD_SHIM_H
#define DTVRKIT_CZSTD_SHIM_H

#include <zdict.h>
#include <zstd.h>

#endif
