// How fast transport stream files in the page cache can be gone through, by ways of reading. The numbers of
// docs/speed.md are from here.
//
//   cc -O2 -o /tmp/packet-readers Benchmarks/PacketReaders.c
//   /tmp/packet-readers METHOD KILOBYTES FILE...
//
// METHOD   read      read(2) alone, into a buffer of so many kilobytes
//          look      read(2), and one look at each packet of 188 bytes, as the packet filter does
//          advise    look, after posix_fadvise(POSIX_FADV_SEQUENTIAL)
//          map       one look at each packet of the mapped file; the kilobytes do not matter
//          populate  one look at each packet, the file mapped with MAP_POPULATE in windows of so many kilobytes
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { packet = 188 };
static unsigned char interest[8192];
static unsigned long found;

// Looks at each packet from `at` on; returns where the next one begins, counted from the end of the bytes.
static size_t look(const unsigned char *bytes, size_t count, size_t at) {
    for (; at + packet <= count; at += packet) {
        const unsigned char *p = bytes + at;
        unsigned pid = (p[1] & 0x1F) << 8 | p[2];
        if ((p[0] ^ 0x47) | (interest[pid] & ((p[1] >> 6 & 1) | 2))) found++;
    }
    // A packet that is cut by the end is not put together again: its first bytes are in neither part.
    return (at + packet - count) % packet;
}

static void readFile(int file, const char *method, unsigned char *buffer, size_t size) {
    if (strcmp(method, "advise") == 0) posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
    int looks = strcmp(method, "read") != 0;
    size_t at = 0;
    ssize_t count;
    while ((count = read(file, buffer, size)) > 0)
        if (looks) at = look(buffer, (size_t)count, at);
}

static void mapFile(int file, size_t length, size_t window, int flags) {
    size_t at = 0;
    for (size_t offset = 0; offset < length; offset += window) {
        size_t count = length - offset < window ? length - offset : window;
        unsigned char *bytes = mmap(NULL, count, PROT_READ, MAP_SHARED | flags, file, (off_t)offset);
        if (bytes == MAP_FAILED) return;
        at = look(bytes, count, at);
        munmap(bytes, count);
    }
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const char *method = argv[1];
    size_t size = strtoul(argv[2], NULL, 10) << 10;
    unsigned char *buffer = aligned_alloc(4096, size);
    if (!buffer) return 1;
    memset(buffer, 0, size);
    interest[0] = 2;
    for (int i = 3; i < argc; i++) {
        int file = open(argv[i], O_RDONLY);
        struct stat status;
        if (file < 0 || fstat(file, &status) != 0) return 1;
        size_t length = (size_t)status.st_size;
        if (strcmp(method, "map") == 0) mapFile(file, length, length, 0);
        else if (strcmp(method, "populate") == 0) mapFile(file, length, size, MAP_POPULATE);
        else readFile(file, method, buffer, size);
        close(file);
    }
    printf("%lu\n", found);
}
