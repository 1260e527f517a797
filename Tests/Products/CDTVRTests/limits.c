/*
 * Tests the limits of sessions in SECURITY.md: threads, memory, and the time that a call takes. Prints nothing and ends
 * with 0 if all hold.
 *
 *     limits FOLDER
 */
#include <dirent.h>
#include <dtvr.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SESSIONS = 10, BYTES = 32000 };

static int failures;

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            failures++;                                                             \
        }                                                                           \
    } while (0)

static const char app[] =
    "{\"appid\":\"T0000D7A1-0000-4000-8000-00000000D7A1\",\"appname\":\"c\",\"appversion\":\"1\"}";

static void notify(void *context, dtvr_notice notice, int32_t code, const char *text, size_t length, int64_t unix_ms)
{
    (void)context, (void)notice, (void)code, (void)text, (void)length, (void)unix_ms;
}

static dtvr_session *new_session(const char *folder)
{
    dtvr_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.directory.bytes = folder;
    options.directory.length = strlen(folder);
    options.notify = notify;
    dtvr_session *session = NULL;
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &session) == DTVR_DONE);
    return session;
}

/* Returns the number of threads of this process whose name starts with "dtvr-". */
static int library_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        if (fgets(name, sizeof name, file) && strncmp(name, "dtvr-", 5) == 0)
            count++;
        fclose(file);
    }
    closedir(tasks);
    return count;
}

/* Returns the resident memory in bytes (proc(5), statm). */
static long resident(void)
{
    long all = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2)
        failures++;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

/* Sessions of a folder share its threads; only a callback has a thread for its session. */
static void threads_of_sessions(const char *folder)
{
    dtvr_session *sessions[SESSIONS];
    EXPECT(library_threads() == 0);
    for (int i = 0; i < SESSIONS; i++)
        sessions[i] = new_session(folder);
    for (int i = 0; i < SESSIONS; i++) {
        char tag[64];
        int length = snprintf(tag, sizeof tag, "www.nielsen.com/%d", i);
        dtvr_send_id3(sessions[i], tag, length, DTVR_NO_TIME);
        EXPECT(dtvr_settle(sessions[i], 60000) == DTVR_DONE);
    }
    int count = library_threads();
    EXPECT(count >= SESSIONS + 1 && count <= SESSIONS + 4);
    for (int i = 0; i < SESSIONS; i++)
        EXPECT(dtvr_destroy(sessions[i], 60000) == DTVR_DONE);
}

/* Of 32 MB of tags for a folder that cannot be created, 4 MiB wait, and each call returns soon and says which are
 * lost. */
static void memory_of_a_session(void)
{
    static char tag[BYTES + 64];
    dtvr_session *session = new_session("/dev/null/none");
    EXPECT(dtvr_settle(session, 60000) == DTVR_NOT_ON_DISK);
    long before = resident();
    double longest = 0;
    uint64_t lost = 0;
    for (int i = 0; i < 1000; i++) {
        int length = snprintf(tag, sizeof tag, "www.nielsen.com/%d/%0*d", i, BYTES - 32, i);
        double start = seconds();
        int status = dtvr_send_id3(session, tag, length, DTVR_NO_TIME);
        EXPECT(status == DTVR_STORED || status == DTVR_LOST);
        lost += status == DTVR_LOST;
        double time = seconds() - start;
        if (time > longest)
            longest = time;
    }
    EXPECT(resident() - before < 24 << 20);
    /* A call never waits for the disk. A busy machine may need a second to run this thread again. */
    EXPECT(longest < 1);
    dtvr_counts counts = {0};
    counts.size = sizeof counts;
    EXPECT(dtvr_get_counts(session, &counts) == DTVR_DONE);
    EXPECT(counts.stored == 1000 && counts.queued + counts.lost == 1000 && counts.lost > 500);
    EXPECT(counts.lost == lost);
    double start = seconds();
    dtvr_destroy(session, 2000);
    EXPECT(seconds() - start < 30);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    threads_of_sessions(argv[1]);
    memory_of_a_session();
    return failures ? 1 : 0;
}
