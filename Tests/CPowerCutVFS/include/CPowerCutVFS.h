#ifndef DTVRKIT_CPOWERCUTVFS_H
#define DTVRKIT_CPOWERCUTVFS_H

#include <stdint.h>

// A VFS of SQLite that knows what of each file a disk has for certain, and what it was only told.
//
// Files in the tracked directory are written through to the real VFS, so that the program sees what it wrote.
// Beside each the shim keeps its bytes as of the last sync, and every write since. A power cut makes a copy of
// the directory in which each 512-byte sector of an unsynced write is there with probability one half.

// Makes the shim SQLite's default VFS; files outside the tracked directory pass through untouched.
int powercut_install(void);

// Tracks the files of a directory from now on, in place of any other.
void powercut_track(const char *directory);

// Cuts the power before the given number of writes, truncations and syncs from now, once.
void powercut_arm(uint64_t operations, const char *image_directory, uint64_t seed);

// Has the next syncs in the tracked directory fail; what was written stays where it is.
void powercut_fail_syncs(uint64_t count);

// Whether the armed cut has happened.
int powercut_has_fired(void);

// How many writes, truncations and syncs there were in the tracked directory, and how many bytes its files had
// at most together.
uint64_t powercut_operation_count(void);
uint64_t powercut_peak_byte_count(void);

#endif
