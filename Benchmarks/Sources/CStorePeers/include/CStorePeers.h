#ifndef DTVRKIT_CSTOREPEERS_H
#define DTVRKIT_CSTOREPEERS_H

#include <stdint.h>

// Appends records to a file, and syncs it with fdatasync after each group. Returns nanoseconds, or -1.
int64_t dtvr_peer_append(const char *path, int record_bytes, int group, int groups);

// Inserts rows with one prepared statement, a transaction a group, with the store's pragmas and table.
// Returns nanoseconds without opening and closing, or -1.
int64_t dtvr_peer_sqlite(const char *path, int body_bytes, int group, int groups);

#endif
