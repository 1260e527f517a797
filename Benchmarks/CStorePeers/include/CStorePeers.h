#ifndef DTVRKIT_CSTOREPEERS_H
#define DTVRKIT_CSTOREPEERS_H

#include <stdint.h>

// Appends records to a file, and syncs it with fdatasync after each group. Returns nanoseconds, or -1.
int64_t dtvr_peer_append(const char *path, int record_bytes, int group, int groups);

// Inserts rows with one prepared statement, a transaction a group, with the store's pragmas and columns. Where it
// keeps the sequence, no number of a row is ever given to another, as in the store. Returns nanoseconds without
// opening and closing, or -1.
int64_t dtvr_peer_sqlite(const char *path, int keeps_sequence, int body_bytes, int group, int groups);

#endif
