#ifndef DTVRKIT_CCLOCK_SHIM_H
#define DTVRKIT_CCLOCK_SHIM_H

#include <sys/timex.h>

// Swift's Glibc module does not include <sys/timex.h>. adjtimex only reads if modes is zero. Returns 1 if the clock is
// synchronized, 0 if it is not, and 2 if the call is denied, as in some containers.
static inline int dtvr_clock_synchronization(void) {
    struct timex state = {.modes = 0};
    int answer = adjtimex(&state);
    return answer == -1 ? 2 : answer != TIME_ERROR;
}

#endif
