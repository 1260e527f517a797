#ifndef DTVRKIT_CPOWERCUTVFS_H
#define DTVRKIT_CPOWERCUTVFS_H

#include <stdint.h>

// An SQLite VFS that simulates power cuts. For each file, it distinguishes synced data from unsynced writes.
//
// It passes writes in the tracked directory to the real VFS, so that the program reads back its data. In addition, it
// records the content of each file at the last sync, and every write since. A power cut creates a copy of the directory
// that contains each 512-byte sector of an unsynced write with a probability of one half.

// Makes the shim SQLite's default VFS. Files outside the tracked directory are not affected.
int powercut_install(void);

// Starts tracking the files of a directory, instead of the previous one.
void powercut_track(const char *directory);

// Arms one power cut, `operations` writes, truncations and syncs from now, before the last of them.
void powercut_arm(uint64_t operations, const char *image_directory, uint64_t seed);

// Makes the next `count` syncs in the tracked directory fail; written data stays unsynced.
void powercut_fail_syncs(uint64_t count);

// Makes each of the next 64 writes, truncations and syncs in the tracked directory fail if its bit is set. The next one
// has the lowest bit.
void powercut_fail(uint64_t operations);

// Makes one write in the tracked directory fail because the disk is full: number `write` from now; 0 for none.
void powercut_fill_disk(uint64_t write);

// Returns whether the armed cut has happened.
int powercut_has_fired(void);

// Return the number of writes, truncations and syncs in the tracked directory, and the peak total size of its files.
uint64_t powercut_operation_count(void);
uint64_t powercut_peak_byte_count(void);

#endif
