/*
 * Makes random calls of libdtvr from several threads on several folders, while the disk fails and heals, the clock is
 * set and signals arrive. A second process plays on the same folders, and a third, a hostile neighbor, connects to
 * their sockets and touches their files. Prints each tag that was passed to the library, and whether the library
 * reported it as on the disk:
 *
 *     kept FOLDER-NUMBER TAG      the buffer of that folder must have it, once
 *     handed FOLDER-NUMBER TAG    the buffer may have it
 *
 * Some sessions choose whether the user has opted out several times in their first milliseconds: the next session of
 * their folder must have the last choice.
 *
 * The second process writes these lines to FOLDER-said.
 *
 *     calls FOLDER SEED SECONDS
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dlfcn.h>
#include <dtvr.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The first process has a session on each folder but the last, which both processes open and close. */
enum { shared_count = 2, thread_count = 4, tags_at_most = 16384, burst_count = 3000 };

static const char app[] =
    "{\"appid\":\"T0000D7A1-0000-4000-8000-00000000D7A1\",\"appname\":\"fuzz\",\"appversion\":\"1\"}";

/* Valid and invalid objects of calls. */
static const char *const texts[] = {
    "{\"channelName\":\"One\"}", "{\"type\":\"content\",\"assetid\":\"A\"}", "{\"type\":\"preroll\",\"assetid\":\"B\"}",
    "{\"type\":\"static\",\"section\":\"home\"}", "{}", "[]", "", "not JSON", "\xFF\xFE",
    "{\"type\":\"content\",\"assetid\":1e999}",
    "{\"event\":\"complete\",\"type\":\"content\",\"playheadPosition\":\"9\"}", "blur", "focus", "https://example.com/",
    "{\"channelName\":\"\xF0\x9F\x93\xBA\",\"mediaURL\":\"https://example.com/\"}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
};
static const double times[] = {0, 1, -1, 1e18, 1e308, -1e308, 1795000000, 0.0 / 0.0, 1.0 / 0.0, 30, 60};

char folders[folder_count][4096];
uint64_t seed;
static char root[4000];
/* 0 in the first process, 1 in the second. */
static int process;
static atomic_bool is_over;
static atomic_uint next_tag, choice_count, lost_count;
static atomic_int *eio, *enospc, *slow;
static atomic_long *clock_step, *failed, *slowed;

/* A session and the tags passed to it. The lock protects those of shared sessions. */
struct played {
    pthread_mutex_t lock;
    dtvr_session *session;
    int folder;
    size_t count;
    /* The tags that were lost at once, and were reported so. */
    size_t refused_count;
    struct { char text[64]; bool is_kept; } tags[tags_at_most];
};

static void notify(void *context, dtvr_notice notice, int32_t code, const char *text, size_t length, int64_t unix_ms)
{
    (void)notice, (void)code, (void)unix_ms;
    /* A callback after dtvr_destroy would find this set. */
    if (atomic_load((atomic_bool *)context) || strlen(text) != length)
        abort();
}

void die(const char *reason)
{
    fprintf(stderr, "calls: %s (process %d, seed %llu)\n", reason, process, (unsigned long long)seed);
    _exit(3);
}

static dtvr_session *create(const char *folder, const char *log, atomic_bool *is_gone)
{
    dtvr_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.directory.bytes = folder;
    options.directory.length = DTVR_TO_NUL;
    options.log.bytes = log;
    options.log.length = log ? DTVR_TO_NUL : 0;
    options.notify = notify;
    options.context = is_gone;
    dtvr_session *session = NULL;
    dtvr_status status = dtvr_create(&options, app, DTVR_TO_NUL, &session);
    if ((status < 0) != (session == NULL))
        die("dtvr_create says one thing and does another");
    return session;
}

static bool begin(struct played *played, int folder, atomic_bool *is_gone)
{
    played->folder = folder;
    played->count = played->refused_count = 0;
    played->session = create(folders[folder], NULL, is_gone);
    return played->session != NULL;
}

static void send_tag(struct played *played, uint64_t *random)
{
    char text[64];
    snprintf(text, sizeof text, "www.nielsen.com/%u-%d-%llx", atomic_fetch_add(&next_tag, 1), process,
             (unsigned long long)seed);
    double time = draw(random) % 4 ? DTVR_NO_TIME : times[draw(random) % (sizeof times / sizeof *times)];
    dtvr_status status = dtvr_send_id3(played->session, text, DTVR_TO_NUL, time);
    pthread_mutex_lock(&played->lock);
    if (played->count < tags_at_most) {
        strcpy(played->tags[played->count].text, text);
        played->tags[played->count++].is_kept = status == DTVR_STORED || status == DTVR_HELD;
        played->refused_count += status == DTVR_LOST;
        atomic_fetch_add(&lost_count, status == DTVR_LOST);
    } else {
        die("more tags than a session of this program has room for");
    }
    pthread_mutex_unlock(&played->lock);
}

/* Hands over more tags than the queue in memory has room for. */
static void burst(struct played *played, uint64_t *random)
{
    for (int count = 0; count < burst_count && played->count < tags_at_most - burst_count; count++)
        send_tag(played, random);
}

/* Chooses several times in the first milliseconds of a session; the next one must have the last choice. */
static void choose(int thread, uint64_t *random)
{
    char folder[4096], log[4200];
    snprintf(folder, sizeof folder, "%s/choices-%d-%d", root, process, thread);
    snprintf(log, sizeof log, "%s/choices-%d-%d.log", root, process, thread);
    atomic_bool *is_gone = calloc(1, sizeof *is_gone);
    dtvr_session *session = create(folder, draw(random) % 2 ? log : NULL, is_gone);
    if (!session)
        return;
    bool is_out = false, is_read = false;
    for (uint64_t count = 2 + draw(random) % 3; count > 0; count--) {
        is_out = draw(random) % 2;
        if (draw(random) % 2)
            usleep(draw(random) % 300);
        if (dtvr_user_opt_out(session, is_out ? "nielsenappsdk://1" : "nielsenappsdk://0", DTVR_TO_NUL) < 0)
            die("a choice is refused");
    }
    if (draw(random) % 2)
        dtvr_settle(session, 20000);
    bool is_kept = dtvr_destroy(session, 20000) == DTVR_DONE;
    atomic_store(is_gone, true);
    if (!is_kept)
        return;
    is_gone = calloc(1, sizeof *is_gone);
    session = create(folder, NULL, is_gone);
    if (!session)
        return;
    dtvr_settle(session, 20000);
    if (dtvr_opt_out_status(session, &is_read) == DTVR_DONE) {
        if (is_read != is_out)
            die("the last choice of a session is not that of the next one");
        atomic_fetch_add(&choice_count, 1);
    }
    dtvr_destroy(session, 20000);
    atomic_store(is_gone, true);
}

static void call(struct played *played, uint64_t *random)
{
    dtvr_session *session = played->session;
    const char *text = texts[draw(random) % (sizeof texts / sizeof *texts)];
    double time = times[draw(random) % (sizeof times / sizeof *times)];
    char answer[256];
    size_t length = 0, capacity = draw(random) % sizeof answer;
    dtvr_counts counts = {.size = sizeof counts};
    dtvr_buffer_counts buffer = {.size = draw(random) % 2 ? sizeof buffer : draw(random) % sizeof buffer};
    dtvr_state state;
    bool is_out;
    switch (draw(random) % 40) {
    case 0: dtvr_play(session, text, DTVR_TO_NUL, time); break;
    case 1: dtvr_load_metadata(session, text, DTVR_TO_NUL); break;
    case 2: dtvr_update_metadata(session, text, strlen(text) / 2); break;
    case 3: dtvr_static_start(session, text, DTVR_TO_NUL); break;
    case 4: dtvr_static_end(session); break;
    case 5: dtvr_playhead_position(session, time); break;
    case 6: dtvr_pause(session, time); break;
    case 7: dtvr_stop(session, time); break;
    case 8: dtvr_end(session, time); break;
    case 9: dtvr_set_volume(session, time); break;
    case 10: dtvr_update_ott(session, text, DTVR_TO_NUL); break;
    case 11: dtvr_track_viewability(session, text, DTVR_TO_NUL); break;
    case 12: dtvr_app_in_background(session); break;
    case 13: dtvr_app_in_foreground(session); break;
    case 14: dtvr_process_event(session, text, DTVR_TO_NUL); break;
    case 15: dtvr_track_event(session, text, DTVR_TO_NUL); break;
    case 16: dtvr_ggpm(session, text, DTVR_TO_NUL, text, DTVR_TO_NUL, time); break;
    case 17: dtvr_call(session, "play", DTVR_TO_NUL, text, DTVR_TO_NUL, answer, capacity, &length); break;
    case 18: dtvr_findings(session, answer, capacity, &length); break;
    case 19: dtvr_last_error(session, answer, capacity, &length); break;
    case 20: dtvr_device_id(session, answer, capacity, &length); break;
    case 21: dtvr_get_buffer_counts(session, &buffer); break;
    case 22: dtvr_get_state(session, &state); break;
    case 23: dtvr_opt_out_status(session, &is_out); break;
    case 24: dtvr_settle(session, draw(random) % 50); break;
    case 25: if (draw(random) % 8 == 0) dtvr_shut_down(session); else dtvr_init(session, app, DTVR_TO_NUL); break;
    case 26:
        dtvr_user_opt_out(session, draw(random) % 8 ? "nielsenappsdk://0" : "nielsenappsdk://1", DTVR_TO_NUL);
        break;
    case 27: dtvr_disable(session, draw(random) % 8 == 0); break;
    case 28:
        dtvr_get_counts(session, &counts);
        if (counts.handed != counts.stored + counts.repeats + counts.ignored + counts.invalid + counts.discarded)
            die("dtvr_get_counts does not add up");
        break;
    case 29: dtvr_deliver_within(session, draw(random) % 50, NULL); break;
    case 30:
        dtvr_feed_segment(
            session, text, strlen(text), time, (uint32_t)(draw(random) % 17), (uint32_t)(draw(random) % 5), NULL);
        break;
    default: send_tag(played, random);
    }
}

/* Ends a session and prints the state of its tags. */
static void end(struct played *played, uint64_t timeout_ms, atomic_bool *is_gone)
{
    bool is_settled = dtvr_settle(played->session, timeout_ms) == DTVR_DONE;
    dtvr_counts counts = {.size = sizeof counts};
    dtvr_get_counts(played->session, &counts);
    bool is_kept = dtvr_destroy(played->session, timeout_ms) == DTVR_DONE || is_settled;
    atomic_store(is_gone, true);
    flockfile(stdout);
    for (size_t index = 0; index < played->count; index++)
        printf("%s %d %s\n",
               is_kept && counts.lost == played->refused_count && played->tags[index].is_kept ? "kept" : "handed",
               played->folder, played->tags[index].text);
    funlockfile(stdout);
}

static struct played shared[shared_count];

static void *play(void *argument)
{
    uint64_t random = seed * 31 + (uint64_t)(size_t)argument;
    struct played *own = calloc(1, sizeof *own);
    pthread_mutex_init(&own->lock, NULL);
    while (!atomic_load(&is_over)) {
        /* The records of ended sessions are kept for late callbacks. */
        atomic_bool *is_gone = calloc(1, sizeof *is_gone);
        bool has_own = begin(own, (int)(draw(&random) % folder_count), is_gone);
        for (uint64_t count = draw(&random) % 200; count > 0; count--) {
            struct played *played = &shared[draw(&random) % shared_count];
            if (process == 1 || (has_own && draw(&random) % 2))
                played = own;
            if (!played->session || (played != own && played->count > tags_at_most / 2))
                continue;
            call(played, &random);
        }
        if (has_own && draw(&random) % 16 == 0)
            burst(own, &random);
        /* Where the first process has the folder, the second one would wait as long as it can. */
        uint64_t timeout_ms = draw(&random) % 4 && process == 0 ? 20000 : draw(&random) % 20;
        if (process == 1 && own->folder >= shared_count && draw(&random) % 2)
            timeout_ms = 2000;
        if (has_own)
            end(own, timeout_ms, is_gone);
        if (draw(&random) % 8 == 0)
            choose((int)(size_t)argument, &random);
    }
    free(own);
    return NULL;
}

/* The current time of the machine, which faults do not change, in seconds. */
static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void interrupted(int number) { (void)number; }

static void *preloaded(const char *name)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    if (!address)
        die("faults.so is not preloaded");
    return address;
}

static void pause_for(long milliseconds)
{
    struct timespec wait = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&wait, &wait) != 0) { }
}

/* Plays until the time is over, while the disk, the clock and signals are as the seed says. */
static void fail_and_heal(pthread_t *threads, double seconds)
{
    uint64_t random = seed + (uint64_t)process;
    double end = now_seconds() + seconds;
    while (now_seconds() < end) {
        int rate = (int)(draw(&random) % 3) * 60;
        atomic_store(eio, draw(&random) % 3 == 0 ? rate : 0);
        atomic_store(enospc, draw(&random) % 3 == 0 ? rate : 0);
        atomic_store(slow, draw(&random) % 2 ? 500 : 0);
        atomic_store(clock_step, draw(&random) % 2 ? (long)(draw(&random) % 40000000) - 20000000 : 0);
        for (int step = 0; step < 40; step++) {
            pause_for(5);
            kill(getpid(), SIGUSR1);
            pthread_kill(threads[draw(&random) % thread_count], SIGUSR1);
        }
        if (process != 0 || draw(&random) % 3)
            continue;
        /* On a disk that is well again, settle writes. Without a loss, it says so. */
        atomic_store(eio, 0), atomic_store(enospc, 0), atomic_store(slow, 0);
        struct played *played = &shared[draw(&random) % shared_count];
        dtvr_status status = dtvr_settle(played->session, 60000);
        dtvr_counts counts = {.size = sizeof counts};
        dtvr_buffer_counts buffer = {.size = sizeof buffer};
        dtvr_get_counts(played->session, &counts);
        dtvr_get_buffer_counts(played->session, &buffer);
        if (status != DTVR_DONE && counts.lost + counts.lost_summaries + buffer.memory_lost + buffer.refused == 0) {
            char text[4096];
            size_t length;
            dtvr_last_error(played->session, text, sizeof text, &length);
            fprintf(stderr, "folder %d: dtvr_settle returned %d; %lu queued, %lu in memory, %lu accepted; %s\n",
                    played->folder, status, counts.queued, buffer.in_memory, buffer.accepted, text);
            die("the disk works again, and dtvr_settle does not say so");
        }
    }
}

/* As soon as the disk works, all tags in memory are written. */
static void settle(struct played *played)
{
    for (int try = 0;; try++) {
        /* After a loss, dtvr_settle never returns DTVR_DONE. */
        dtvr_counts counts = {.size = sizeof counts};
        dtvr_buffer_counts buffer = {.size = sizeof buffer};
        if (dtvr_settle(played->session, 60000) == DTVR_DONE)
            return;
        dtvr_get_counts(played->session, &counts);
        if (dtvr_get_buffer_counts(played->session, &buffer) == DTVR_DONE && buffer.in_memory + counts.queued == 0)
            return;
        if (try == 300) {
            char text[4096];
            size_t length;
            dtvr_last_error(played->session, text, sizeof text, &length);
            fprintf(stderr, "folder %d: queued %lu, in memory %lu; %s\n", played->folder, counts.queued,
                    buffer.in_memory, text);
            die("the disk works again, but tags are still not on it");
        }
        pause_for(200);
    }
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    seed = strtoull(arguments[2], NULL, 10);
    eio = preloaded("dtvr_fuzz_eio"), enospc = preloaded("dtvr_fuzz_enospc"), slow = preloaded("dtvr_fuzz_slow");
    clock_step = preloaded("dtvr_fuzz_clock_step"), failed = preloaded("dtvr_fuzz_failed");
    slowed = preloaded("dtvr_fuzz_slowed");
    struct sigaction action = {.sa_handler = interrupted};
    sigaction(SIGUSR1, &action, NULL);
    snprintf(root, sizeof root, "%s", arguments[1]);
    for (int folder = 0; folder < folder_count; folder++)
        snprintf(folders[folder], sizeof folders[folder], "%s/%d", root, folder);

    /* Before the library is used, which works in no forked process. */
    pid_t hostile = fork();
    if (hostile == 0)
        neighbor();
    int ready[2];
    if (pipe(ready) != 0)
        die("no pipe");
    pid_t second = fork();
    process = second == 0;
    char said[4200];
    snprintf(said, sizeof said, "%s-said", root);
    if (process == 1) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        /* Each process has an output of its own: lines of two would mix. */
        if (!freopen(said, "w", stdout))
            die("no output");
    }
    /* The second process begins once the first has its folders. */
    char start = 0;
    if (process == 1 && read(ready[0], &start, 1) != 1)
        return 4;
    static atomic_bool is_gone[shared_count];
    for (int folder = 0; folder < shared_count && process == 0; folder++) {
        pthread_mutex_init(&shared[folder].lock, NULL);
        if (!begin(&shared[folder], folder, &is_gone[folder]))
            die("no session");
        if (dtvr_settle(shared[folder].session, 60000) != DTVR_DONE)
            die("a folder is in use");
    }
    if (process == 0 && write(ready[1], &start, 1) != 1)
        die("no pipe");
    pthread_t threads[thread_count];
    for (size_t index = 0; index < thread_count; index++)
        pthread_create(&threads[index], NULL, play, (void *)(index + 1));
    fail_and_heal(threads, atof(arguments[3]));

    atomic_store(&is_over, true);
    atomic_store(eio, 0), atomic_store(enospc, 0), atomic_store(slow, 0), atomic_store(clock_step, 0);
    for (size_t index = 0; index < thread_count; index++)
        pthread_join(threads[index], NULL);
    for (int folder = 0; folder < shared_count && process == 0; folder++) {
        settle(&shared[folder]);
        end(&shared[folder], 60000, &is_gone[folder]);
    }
    fprintf(stderr, "process %d: %u tags, %u lost at once, %u last choices, %ld system calls failed, %ld were slow\n",
            process, atomic_load(&next_tag), atomic_load(&lost_count), atomic_load(&choice_count),
            atomic_load(failed), atomic_load(slowed));
    if (process == 1)
        return 0;
    int result = 0, status = 0;
    while (waitpid(second, &result, 0) < 0) { }
    kill(hostile, SIGKILL);
    while (waitpid(hostile, &status, 0) < 0) { }
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 4;
}
