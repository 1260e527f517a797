#ifndef DTVRKIT_CSTAT_SHIM_H
#define DTVRKIT_CSTAT_SHIM_H

#include <linux/stat.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct dtvr_identity {
    uint64_t device, inode;
    uint32_t link_count;
};

// Finds the identity of the file at a path, or of an open file if `path` is empty; returns 0, or -1 with errno.
//
// stat also returns the times of the file. After that, Linux records a new time with the next write (multigrain
// timestamps, since 6.13), which makes the write and its sync slower. glibc declares statx only with _GNU_SOURCE, which
// Swift's Glibc module does not define. Linux before 4.11 has no statx, and the seccomp profiles of some container
// runtimes refuse it.
static inline int dtvr_identify(int file, const char *path, struct dtvr_identity *identity) {
    enum { EMPTY_PATH = 0x1000 };  // AT_EMPTY_PATH
    struct statx facts;
    int flags = *path == 0 ? EMPTY_PATH : 0;
    if (syscall(SYS_statx, file, path, flags, STATX_INO | STATX_NLINK, &facts) != 0) return -1;
    identity->device = (uint64_t)facts.stx_dev_major << 32 | facts.stx_dev_minor;
    identity->inode = facts.stx_ino;
    identity->link_count = facts.stx_nlink;
    return 0;
}

// Sets the user and the group as which the calling thread, and no other one, accesses files. The calls report no error.
static inline void dtvr_access_files_as(uint32_t user, uint32_t group) {
    syscall(SYS_setfsgid, group);
    syscall(SYS_setfsuid, user);
}

#endif
