#ifndef DTVRKIT_CCLOCK_SHIM_H
#define DTVRKIT_CCLOCK_SHIM_H

#include <sys/timex.h>

// <sys/timex.h> is not among the headers of Swift's Glibc module. Modes of zero only read.
static inline int dtvr_clock_is_synchronized(void) {
    struct timex state = {.modes = 0};
    int answer = adjtimex(&state);
    return answer != -1 && answer != TIME_ERROR;
}

#endif
