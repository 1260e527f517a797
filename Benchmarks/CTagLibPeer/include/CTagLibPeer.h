#ifndef DTVR_TAGLIB_PEER_H
#define DTVR_TAGLIB_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Whether TagLib was there when this was built: 1 or 0.
int dtvr_taglib_is_there(void);

// Parses a tag with TagLib and reads owner identifier and data of its first PRIV frame.
// The sum of their lengths; 0 where there is none, or no TagLib.
size_t dtvr_taglib_private_frame(const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
