/*
 * Measures loading the library and creating a session: the milliseconds of each, and the kilobytes of memory of both.
 *
 *     cost LIBRARY FOLDER
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dtvr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static long kilobytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        exit(3);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const long memory = kilobytes();
    const double start = milliseconds();
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library)
        return 4;
    dtvr_status (*create)(const dtvr_options *, const char *, size_t, dtvr_session **);
    *(void **)&create = dlsym(library, "dtvr_create");
    const double loaded = milliseconds();
    dtvr_options options = {0};
    options.size = sizeof options;
    options.directory.bytes = argv[2];
    options.directory.length = DTVR_TO_NUL;
    dtvr_session *session;
    if (create(&options, "{\"appid\":\"T1\"}", DTVR_TO_NUL, &session) < 0)
        return 5;
    const double made = milliseconds();
    printf("%.2f %.2f %ld\n", loaded - start, made - loaded, kilobytes() - memory);
    return 0;
}
