#ifndef DTVR_TAGLIB_PEER_H
#define DTVR_TAGLIB_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns 1 if TagLib was installed when this was built, otherwise 0.
int dtvr_taglib_is_there(void);

// Parses a tag with TagLib, and reads the owner identifier and data of its first PRIV frame.
// Returns the sum of their lengths; 0 without such a frame or without TagLib.
size_t dtvr_taglib_private_frame(const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
