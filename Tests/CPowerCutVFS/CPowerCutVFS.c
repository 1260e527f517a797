#include "CPowerCutVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Operation {
    struct Operation *next;
    sqlite3_int64 offset;
    int count; // -1: truncation to `offset`
    unsigned char bytes[];
} Operation;

typedef struct Track {
    struct Track *next;
    char *name; // relative to the directory
    unsigned char *durable;
    sqlite3_int64 durable_count;
    sqlite3_int64 count; // as the program sees it
    Operation *first, *last;
} Track;

typedef struct {
    sqlite3_file base;
    Track *track;
    sqlite3_file *real;
} File;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *real_vfs;
static char *directory;
static Track *tracks;
static uint64_t operation_count, peak_byte_count, armed_in, failing_sync_count, failing_write, failing, state;
static char *image_directory;
static int has_fired;

static uint64_t next_random(void) {
    state += 0x9E3779B97F4A7C15ull;
    uint64_t value = state;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value ^ value >> 31;
}

static void set_bytes(Track *track, sqlite3_int64 offset, const unsigned char *bytes, int count) {
    if (offset + count > track->durable_count) {
        track->durable = realloc(track->durable, (size_t)(offset + count));
        memset(track->durable + track->durable_count, 0, (size_t)(offset + count - track->durable_count));
        track->durable_count = offset + count;
    }
    memcpy(track->durable + offset, bytes, (size_t)count);
}

static void set_count(Track *track, sqlite3_int64 count) {
    if (count < track->durable_count) track->durable_count = count;
}

static void forget_operations(Track *track, int apply) {
    while (track->first) {
        Operation *operation = track->first;
        if (apply && operation->count < 0) set_count(track, operation->offset);
        if (apply && operation->count >= 0) set_bytes(track, operation->offset, operation->bytes, operation->count);
        track->first = operation->next;
        free(operation);
    }
    track->last = NULL;
}

static void copy_plain(const char *name) {
    char from[4096], to[4096], bytes[4096];
    snprintf(from, sizeof from, "%s/%s", directory, name);
    snprintf(to, sizeof to, "%s/%s", image_directory, name);
    FILE *source = fopen(from, "rb");
    if (!source) return;
    FILE *target = fopen(to, "wb");
    size_t count;
    while (target && (count = fread(bytes, 1, sizeof bytes, source)) > 0) fwrite(bytes, 1, count, target);
    if (target) fclose(target);
    fclose(source);
}

static void cut(void) {
    for (Track *track = tracks; track; track = track->next) {
        Track image = {.durable_count = track->durable_count};
        image.durable = malloc((size_t)track->durable_count + 1);
        if (track->durable_count) memcpy(image.durable, track->durable, (size_t)track->durable_count);
        for (Operation *operation = track->first; operation; operation = operation->next) {
            if (operation->count < 0) {
                if (next_random() & 1) set_count(&image, operation->offset);
                continue;
            }
            for (int start = 0; start < operation->count; start += 512) {
                int count = operation->count - start < 512 ? operation->count - start : 512;
                if (next_random() & 1) set_bytes(&image, operation->offset + start, operation->bytes + start, count);
            }
        }
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", image_directory, track->name);
        FILE *target = fopen(path, "wb");
        if (target) {
            fwrite(image.durable, 1, (size_t)image.durable_count, target);
            fclose(target);
        }
        free(image.durable);
    }
    // This file is written without SQLite and never synced. The worst case is its newest content.
    copy_plain("high-water");
    has_fired = 1;
}

// Counts a write, a truncation or a sync, cuts the power if the armed cut is due, and returns whether the operation
// fails. The caller holds the lock.
static int count_operation(void) {
    operation_count++;
    int fails = failing & 1;
    failing >>= 1;
    if (armed_in && --armed_in == 0) cut();
    return fails;
}

static void count_bytes(void) {
    uint64_t sum = 0;
    for (Track *track = tracks; track; track = track->next) sum += (uint64_t)track->count;
    if (sum > peak_byte_count) peak_byte_count = sum;
}

static Operation *add_operation(Track *track, sqlite3_int64 offset, const void *bytes, int count) {
    Operation *operation = malloc(sizeof(Operation) + (size_t)(count > 0 ? count : 0));
    operation->next = NULL;
    operation->offset = offset;
    operation->count = count;
    if (count > 0) memcpy(operation->bytes, bytes, (size_t)count);
    if (track->last) track->last->next = operation;
    else track->first = operation;
    track->last = operation;
    return operation;
}

static int file_close(sqlite3_file *file) {
    File *self = (File *)file;
    int code = self->real->pMethods ? self->real->pMethods->xClose(self->real) : SQLITE_OK;
    free(self->real);
    return code;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    File *self = (File *)file;
    return self->real->pMethods->xRead(self->real, bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    File *self = (File *)file;
    pthread_mutex_lock(&lock);
    int code = count_operation() ? SQLITE_IOERR_WRITE : SQLITE_OK;
    if (failing_write > 0 && --failing_write == 0) code = SQLITE_FULL;
    if (code != SQLITE_OK) {
        pthread_mutex_unlock(&lock);
        return code;
    }
    add_operation(self->track, offset, bytes, count);
    if (offset + count > self->track->count) self->track->count = offset + count;
    count_bytes();
    pthread_mutex_unlock(&lock);
    return self->real->pMethods->xWrite(self->real, bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 count) {
    File *self = (File *)file;
    pthread_mutex_lock(&lock);
    if (count_operation()) {
        pthread_mutex_unlock(&lock);
        return SQLITE_IOERR_TRUNCATE;
    }
    add_operation(self->track, count, NULL, -1);
    if (count < self->track->count) self->track->count = count;
    pthread_mutex_unlock(&lock);
    return self->real->pMethods->xTruncate(self->real, count);
}

static int file_sync(sqlite3_file *file, int flags) {
    (void)flags;
    File *self = (File *)file;
    pthread_mutex_lock(&lock);
    int fails = count_operation() || failing_sync_count > 0;
    if (failing_sync_count > 0) failing_sync_count--;
    if (!fails)
        forget_operations(self->track, 1);
    pthread_mutex_unlock(&lock);
    // The tests use only the image, so a real sync is not needed.
    return fails ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

#define FORWARD(name, parameters, arguments)                                                                           \
    static int file_##name parameters {                                                                                \
        sqlite3_file *real = ((File *)file)->real;                                                                     \
        return real->pMethods->name arguments;                                                                         \
    }
FORWARD(xFileSize, (sqlite3_file * file, sqlite3_int64 *count), (real, count))
FORWARD(xLock, (sqlite3_file * file, int level), (real, level))
FORWARD(xUnlock, (sqlite3_file * file, int level), (real, level))
FORWARD(xCheckReservedLock, (sqlite3_file * file, int *result), (real, result))
FORWARD(xFileControl, (sqlite3_file * file, int operation, void *argument), (real, operation, argument))
FORWARD(xSectorSize, (sqlite3_file * file), (real))
FORWARD(xDeviceCharacteristics, (sqlite3_file * file), (real))

// Version 1 has no shared memory: a store in exclusive mode must not need it.
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_xFileSize,
    .xLock = file_xLock,
    .xUnlock = file_xUnlock,
    .xCheckReservedLock = file_xCheckReservedLock,
    .xFileControl = file_xFileControl,
    .xSectorSize = file_xSectorSize,
    .xDeviceCharacteristics = file_xDeviceCharacteristics,
};

static const char *tracked_name(const char *path) {
    if (!path || !directory) return NULL;
    size_t count = strlen(directory);
    return strncmp(path, directory, count) == 0 && path[count] == '/' ? path + count + 1 : NULL;
}

static Track *track_named(const char *name) {
    for (Track *track = tracks; track; track = track->next)
        if (strcmp(track->name, name) == 0) return track;
    Track *track = calloc(1, sizeof(Track));
    track->name = strdup(name);
    track->next = tracks;
    tracks = track;
    return track;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    pthread_mutex_lock(&lock);
    const char *name = tracked_name(path);
    Track *track = name ? track_named(name) : NULL;
    pthread_mutex_unlock(&lock);
    // Other tests of this process get the system's files, with shared memory.
    if (!track) return real_vfs->xOpen(real_vfs, path, file, flags, out_flags);
    File *self = (File *)file;
    self->base.pMethods = NULL;
    self->track = track;
    self->real = calloc(1, (size_t)real_vfs->szOsFile);
    int code = real_vfs->xOpen(real_vfs, path, self->real, flags, out_flags);
    if (code != SQLITE_OK) {
        free(self->real);
        return code;
    }
    self->base.pMethods = &methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    pthread_mutex_lock(&lock);
    const char *name = tracked_name(path);
    if (name) {
        Track *track = track_named(name);
        forget_operations(track, 0);
        track->durable_count = 0;
        track->count = 0;
    }
    pthread_mutex_unlock(&lock);
    return real_vfs->xDelete(real_vfs, path, sync);
}

int powercut_install(void) {
    static sqlite3_vfs shim;
    pthread_mutex_lock(&lock);
    int code = SQLITE_OK;
    if (!real_vfs) {
        real_vfs = sqlite3_vfs_find(NULL);
        shim = *real_vfs;
        shim.zName = "powercut";
        if (shim.szOsFile < (int)sizeof(File)) shim.szOsFile = sizeof(File);
        shim.xOpen = vfs_open;
        shim.xDelete = vfs_delete;
        code = sqlite3_vfs_register(&shim, 1);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

void powercut_track(const char *path) {
    pthread_mutex_lock(&lock);
    // Leaks the tracks of the previous directory: they are small, and its files may still be open.
    tracks = NULL;
    free(directory);
    directory = strdup(path);
    operation_count = peak_byte_count = armed_in = failing_sync_count = failing_write = failing = 0;
    has_fired = 0;
    pthread_mutex_unlock(&lock);
}

void powercut_arm(uint64_t operations, const char *image, uint64_t seed) {
    pthread_mutex_lock(&lock);
    free(image_directory);
    image_directory = strdup(image);
    armed_in = operations;
    state = seed;
    has_fired = 0;
    pthread_mutex_unlock(&lock);
}

void powercut_fail_syncs(uint64_t count) {
    pthread_mutex_lock(&lock);
    failing_sync_count = count;
    pthread_mutex_unlock(&lock);
}

void powercut_fail(uint64_t operations) {
    pthread_mutex_lock(&lock);
    failing = operations;
    pthread_mutex_unlock(&lock);
}

void powercut_fill_disk(uint64_t write) {
    pthread_mutex_lock(&lock);
    failing_write = write;
    pthread_mutex_unlock(&lock);
}

int powercut_has_fired(void) {
    pthread_mutex_lock(&lock);
    int result = has_fired;
    pthread_mutex_unlock(&lock);
    return result;
}

uint64_t powercut_operation_count(void) {
    pthread_mutex_lock(&lock);
    uint64_t result = operation_count;
    pthread_mutex_unlock(&lock);
    return result;
}

uint64_t powercut_peak_byte_count(void) {
    pthread_mutex_lock(&lock);
    uint64_t result = peak_byte_count;
    pthread_mutex_unlock(&lock);
    return result;
}
