#ifndef DTVR_ID3TAG_H
#define DTVR_ID3TAG_H

#include <stddef.h>
#include <stdint.h>

// Opens libid3tag; 0 where it is not installed.
int dtvr_id3tag_open(void);

// Parses a tag with libid3tag and reads owner identifier and data of its first PRIV frame.
// The sum of their lengths; 0 where there is none.
size_t dtvr_id3tag_private_frame(const uint8_t *bytes, size_t count);

#endif
