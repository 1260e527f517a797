#ifndef DTVRKIT_CSTOREPEERS_H
#define DTVRKIT_CSTOREPEERS_H

#include <stdint.h>

// Appends records to a file, with an fdatasync after each group. Returns the nanoseconds, or -1 after an error.
int64_t dtvr_peer_append(const char *path, int record_bytes, int group, int groups);

// Inserts rows with a prepared statement and one transaction for each group, with the store's pragmas and columns. If
// `keeps_sequence` is set, row numbers are never reused, as in the store. Returns the nanoseconds without opening and
// closing, or -1 after an error.
int64_t dtvr_peer_sqlite(const char *path, int keeps_sequence, int body_bytes, int group, int groups);

#endif
