#ifndef DTVRKIT_CBUSGUARD_H
#define DTVRKIT_CBUSGUARD_H

#include <stdbool.h>
#include <stddef.h>

// Keeps a process alive that reads a mapped file while somebody cuts it.
//
// An access behind the new end is a SIGBUS. The handler puts pages of zeros in the place of those that are gone,
// notes it, and goes on. It is C because it may neither allocate nor take a lock, which Swift does not promise of
// anything.

// How many regions can be guarded at once.
enum { dtvr_bus_guard_capacity = 256 };

// Installs the handler, for the whole process; what it does not know goes to the handler that was there before.
// Returns 0, or what errno says. Once is enough; more often does no harm.
int dtvr_bus_guard_install(void);

// Guards a mapped region, which begins with a page. Returns its number, or -1 where none is left.
int dtvr_bus_guard_begin(const void *start, size_t length);

// Whether pages of the region were gone when they were read.
bool dtvr_bus_guard_was_hit(int region);

// Ends guarding a region, before it is unmapped.
void dtvr_bus_guard_end(int region);

#endif
