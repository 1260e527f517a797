#pragma once

#include <threads.h>
#include <time.h>
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

/*
 * Under valgrind: waits until no memory is lost, or for a minute. For a moment after dtvr_destroy, other threads still
 * hold parts of the session, which valgrind takes for lost: some pointers share a word with flags.
 */
static void wait_until_nothing_is_lost(void)
{
#ifdef RUNNING_ON_VALGRIND
    unsigned long bytes[4] = {RUNNING_ON_VALGRIND};
    for (int i = 0; bytes[0] > 0 && i < 600; i++) {
        thrd_sleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        VALGRIND_DO_QUICK_LEAK_CHECK;
        VALGRIND_COUNT_LEAKS(bytes[0], bytes[1], bytes[2], bytes[3]);
    }
#endif
}
