#ifndef DTVRKIT_CZLIB_SHIM_H
#define DTVRKIT_CZLIB_SHIM_H

#include <zlib.h>

// inflateInit2 and deflateInit2 are macros that pass the version and the size of the structure.
static inline int dtvr_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
static inline int dtvr_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
