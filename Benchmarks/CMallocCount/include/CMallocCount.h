#ifndef DTVR_MALLOC_COUNT_H
#define DTVR_MALLOC_COUNT_H

#include <stdint.h>

// Returns the number of calls of malloc, calloc, realloc and the aligned variants on this thread.
uint64_t dtvr_malloc_count(void);

#endif
