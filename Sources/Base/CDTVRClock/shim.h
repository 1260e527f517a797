#ifndef DTVRKIT_CCLOCK_SHIM_H
#define DTVRKIT_CCLOCK_SHIM_H

#include <sys/timex.h>

// Swift's Glibc module does not include <sys/timex.h>. adjtimex only reads if modes is zero.
static inline int dtvr_clock_is_synchronized(void) {
    struct timex state = {.modes = 0};
    int answer = adjtimex(&state);
    return answer != -1 && answer != TIME_ERROR;
}

#endif
