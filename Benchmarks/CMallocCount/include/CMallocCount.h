#ifndef DTVR_MALLOC_COUNT_H
#define DTVR_MALLOC_COUNT_H

#include <stdint.h>

// How many times this thread has called malloc, calloc, realloc or an aligned kin of them.
uint64_t dtvr_malloc_count(void);

#endif
