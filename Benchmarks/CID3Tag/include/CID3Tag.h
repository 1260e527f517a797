#ifndef DTVR_ID3TAG_H
#define DTVR_ID3TAG_H

#include <stddef.h>
#include <stdint.h>

// Opens libid3tag. Returns 1, or 0 if it is not installed.
int dtvr_id3tag_open(void);

// Parses a tag with libid3tag, and reads the owner identifier and data of its first PRIV frame.
// Returns the sum of their lengths; 0 without such a frame.
size_t dtvr_id3tag_private_frame(const uint8_t *bytes, size_t count);

#endif
