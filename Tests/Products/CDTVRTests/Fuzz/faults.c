/*
 * Makes the disk and the clock fail as the process chooses. Preloaded before libc.
 *
 * Writes to files fail with EIO or ENOSPC, or their syncs are slow. The wall clock is ahead by dtvr_fuzz_clock_step.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* The numbers of 1,000 calls that fail with EIO, fail with ENOSPC, and sync slowly. */
atomic_int dtvr_fuzz_eio, dtvr_fuzz_enospc, dtvr_fuzz_slow;
/* Seconds. */
atomic_long dtvr_fuzz_clock_step;
/* The count of each fault. */
atomic_long dtvr_fuzz_failed, dtvr_fuzz_slowed;

/* For a program that is not linked with this library. */
__attribute__((constructor)) static void read_clock_step(void)
{
    const char *step = getenv("DTVR_FUZZ_CLOCK_STEP");
    if (step != NULL)
        atomic_store(&dtvr_fuzz_clock_step, atol(step));
}

static _Thread_local unsigned long state;

static int chance(int of_thousand)
{
    if (of_thousand == 0)
        return 0;
    if (state == 0)
        state = (unsigned long)&state ^ (unsigned long)gettid() * 0x9E3779B97F4A7C15UL;
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (int)(state >> 33) % 1000 < of_thousand;
}

/* Returns whether a call on a file fails now, with errno set. */
static int fails(int file)
{
    if (file <= 2)
        return 0;
    int error = chance(atomic_load(&dtvr_fuzz_eio)) ? EIO : chance(atomic_load(&dtvr_fuzz_enospc)) ? ENOSPC : 0;
    if (error == 0)
        return 0;
    atomic_fetch_add(&dtvr_fuzz_failed, 1);
    errno = error;
    return 1;
}

static void slow_down(void)
{
    if (!chance(atomic_load(&dtvr_fuzz_slow)))
        return;
    atomic_fetch_add(&dtvr_fuzz_slowed, 1);
    struct timespec wait = {0, 30000000};
    while (nanosleep(&wait, &wait) != 0 && errno == EINTR) { }
}

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int fsync(int file)
{
    NEXT(fsync);
    slow_down();
    return fails(file) ? -1 : next(file);
}

int fdatasync(int file)
{
    NEXT(fdatasync);
    slow_down();
    return fails(file) ? -1 : next(file);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset)
{
    NEXT(pwrite);
    return fails(file) ? -1 : next(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    NEXT(pwrite64);
    return fails(file) ? -1 : next(file, bytes, count, offset);
}

int ftruncate(int file, off_t length)
{
    NEXT(ftruncate);
    return fails(file) ? -1 : next(file, length);
}

int ftruncate64(int file, off64_t length)
{
    NEXT(ftruncate64);
    return fails(file) ? -1 : next(file, length);
}

int fallocate(int file, int mode, off_t offset, off_t length)
{
    NEXT(fallocate);
    return fails(file) ? -1 : next(file, mode, offset, length);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    NEXT(clock_gettime);
    int result = next(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME)
        time->tv_sec += atomic_load(&dtvr_fuzz_clock_step);
    return result;
}
