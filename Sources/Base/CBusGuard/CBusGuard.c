#define _GNU_SOURCE
#include "CBusGuard.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// A region is free while `isTaken` is clear, and guarded while `start` is not 0.
static struct {
    atomic_bool isTaken;
    atomic_bool isHit;
    _Atomic(uintptr_t) start;
    _Atomic(size_t) length;
} regions[dtvr_bus_guard_capacity];

static struct sigaction previous;
static uintptr_t pageSize;

// Puts zeros from the page of `address` to the end of its region; false where no region has it.
static bool fill(uintptr_t address) {
    for (int i = 0; i < dtvr_bus_guard_capacity; i++) {
        uintptr_t start = atomic_load(&regions[i].start);
        size_t length = atomic_load(&regions[i].length);
        if (start == 0 || address < start || address - start >= length) continue;
        uintptr_t page = address & ~(pageSize - 1);
        uintptr_t end = (start + length + pageSize - 1) & ~(pageSize - 1);
        // Where the file ends now it ends for all of the region behind, so that one signal is enough.
        void *zeros = mmap((void *)page, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros == MAP_FAILED) return false;
        atomic_store(&regions[i].isHit, true);
        return true;
    }
    return false;
}

static void handle(int signal, siginfo_t *information, void *context) {
    int error = errno;
    // Only the kernel's own signals, whose code is positive, have an address.
    if (information->si_code > 0 && fill((uintptr_t)information->si_addr)) {
        errno = error;
        return;
    }
    errno = error;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, information, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal);
    } else {
        // The access is made again, and ends the process as it would have without a handler.
        sigaction(SIGBUS, &previous, NULL);
        if (information->si_code <= 0) raise(SIGBUS);
    }
}

static atomic_flag isInstalling = ATOMIC_FLAG_INIT;
static atomic_int installed = -1;

int dtvr_bus_guard_install(void) {
    while (atomic_flag_test_and_set(&isInstalling)) continue;
    if (atomic_load(&installed) != 0) {
        pageSize = (uintptr_t)sysconf(_SC_PAGESIZE);
        struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        // Known before the first signal can come.
        int error = sigaction(SIGBUS, NULL, &previous) == 0 && sigaction(SIGBUS, &action, NULL) == 0 ? 0 : errno;
        atomic_store(&installed, error);
    }
    atomic_flag_clear(&isInstalling);
    return atomic_load(&installed);
}

int dtvr_bus_guard_begin(const void *start, size_t length) {
    for (int i = 0; i < dtvr_bus_guard_capacity; i++) {
        if (atomic_exchange(&regions[i].isTaken, true)) continue;
        atomic_store(&regions[i].isHit, false);
        atomic_store(&regions[i].length, length);
        atomic_store(&regions[i].start, (uintptr_t)start);
        return i;
    }
    return -1;
}

bool dtvr_bus_guard_was_hit(int region) { return atomic_load(&regions[region].isHit); }

void dtvr_bus_guard_end(int region) {
    atomic_store(&regions[region].start, 0);
    atomic_store(&regions[region].isTaken, false);
}
