// Measures how fast transport stream files in the page cache can be read with different methods. The source of the
// numbers in docs/speed.md.
//
//   cc -O2 -o /tmp/packet-readers Benchmarks/PacketReaders.c
//   /tmp/packet-readers METHOD KILOBYTES FILE...
//
// METHOD   read      only read(2), into a buffer of KILOBYTES
//          look      read(2), and inspection of the header of each 188-byte packet, as the packet filter does
//          advise    look, after posix_fadvise(POSIX_FADV_SEQUENTIAL)
//          map       inspection of each packet in the mapped file; ignores KILOBYTES
//          populate  inspection of each packet, with the file mapped with MAP_POPULATE in windows of KILOBYTES
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

// Inspects each packet from offset `at` on. Returns the offset of the next packet after the end of the bytes.
static size_t look(const unsigned char *bytes, size_t count, size_t at) {
    for (; at + packet <= count; at += packet) {
        const unsigned char *p = bytes + at;
        unsigned pid = (p[1] & 0x1F) << 8 | p[2];
        if ((p[0] ^ 0x47) | (interest[pid] & ((p[1] >> 6 & 1) | 2))) found++;
    }
    // A packet across the end of the bytes is skipped.
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
