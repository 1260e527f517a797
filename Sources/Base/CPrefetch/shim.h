#ifndef DTVRKIT_CPREFETCH_SHIM_H
#define DTVRKIT_CPREFETCH_SHIM_H

#include <stdint.h>

// The builtin has no name in Swift. It reads nothing that a program can see, and no address is wrong.
static inline void dtvr_prefetch(uintptr_t address) { __builtin_prefetch((const void *)address); }

#endif
