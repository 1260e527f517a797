#include "CStorePeers.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fill(unsigned char *bytes, size_t count) {
    static uint64_t state = 1;
    for (size_t index = 0; index < count; index++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        bytes[index] = (unsigned char)(state >> 56);
    }
}

int64_t dtvr_peer_append(const char *path, int record_bytes, int group, int groups) {
    size_t count = (size_t)record_bytes * (size_t)group;
    unsigned char *bytes = malloc(count);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int64_t result = -1;
    if (bytes && file >= 0) {
        fill(bytes, count);
        int64_t start = now();
        int done = 0;
        while (done < groups && write(file, bytes, count) == (ssize_t)count && fdatasync(file) == 0) done++;
        if (done == groups) result = now() - start;
    }
    if (file >= 0) close(file);
    unlink(path);
    free(bytes);
    return result;
}

static int64_t insert(sqlite3 *database, sqlite3_stmt *statement, int body_bytes, int group, int groups) {
    unsigned char *body = malloc((size_t)body_bytes);
    unsigned char id[16];
    if (!body) return -1;
    fill(body, (size_t)body_bytes);
    int64_t start = now();
    for (int index = 0; index < groups; index++) {
        if (sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL)) goto failed;
        for (int row = 0; row < group; row++) {
            fill(id, sizeof id);
            sqlite3_bind_blob(statement, 1, id, sizeof id, SQLITE_STATIC);
            sqlite3_bind_int64(statement, 2, start);
            sqlite3_bind_int64(statement, 3, start);
            sqlite3_bind_int64(statement, 4, 1);
            sqlite3_bind_int64(statement, 5, 0x12345678);
            sqlite3_bind_int64(statement, 6, 2);
            sqlite3_bind_blob(statement, 7, body, body_bytes, SQLITE_STATIC);
            if (sqlite3_step(statement) != SQLITE_DONE) goto failed;
            sqlite3_reset(statement);
        }
        if (sqlite3_exec(database, "COMMIT", NULL, NULL, NULL)) goto failed;
    }
    free(body);
    return now() - start;
failed:
    free(body);
    return -1;
}

int64_t dtvr_peer_sqlite(const char *path, int keeps_sequence, int body_bytes, int group, int groups) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int64_t result = -1;
    const char *setup =
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL;"
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=256;"
        "PRAGMA journal_size_limit=1048576; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;";
    char table[512];
    snprintf(table, sizeof table,
             "CREATE TABLE tag(seq INTEGER PRIMARY KEY %s, id BLOB NOT NULL, received_wall INTEGER NOT NULL,"
             "received_boot INTEGER NOT NULL, epoch INTEGER NOT NULL, crc INTEGER NOT NULL,"
             "encoding INTEGER NOT NULL, body BLOB NOT NULL)",
             keeps_sequence ? "AUTOINCREMENT" : "");
    const char *text = "INSERT INTO tag(id, received_wall, received_boot, epoch, crc, encoding, body)"
                       "VALUES(?,?,?,?,?,?,?)";
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) == 0 &&
        sqlite3_exec(database, setup, NULL, NULL, NULL) == 0 &&
        sqlite3_exec(database, table, NULL, NULL, NULL) == 0 &&
        sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) == 0)
        result = insert(database, statement, body_bytes, group, groups);
    sqlite3_finalize(statement);
    sqlite3_close_v2(database);
    unlink(path);
    return result;
}
