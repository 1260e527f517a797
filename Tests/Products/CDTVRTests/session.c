/*
 * Tests the promises of dtvr.h for every function. Prints nothing and ends with 0 if all hold. Under valgrind, it must
 * not lose memory either.
 *
 *     session FOLDER
 */
#include <dtvr.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "leaks.h"

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
static const char owner[] = "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/one/00000/00000/00";

/* The contents of the notifications. */
struct told {
    pthread_mutex_t lock;
    int events, errors, findings, last_error;
    pthread_t thread;
    bool is_well_formed;
    atomic_bool is_over;
};

static void notify(void *context, dtvr_notice notice, int32_t code, const char *text, size_t length, int64_t unix_ms)
{
    struct told *told = context;
    pthread_mutex_lock(&told->lock);
    if (atomic_load(&told->is_over) || strlen(text) != length || length == 0 || unix_ms < 1700000000000)
        told->is_well_formed = false;
    if (told->events + told->errors + told->findings > 0 && !pthread_equal(told->thread, pthread_self()))
        told->is_well_formed = false;
    told->thread = pthread_self();
    if (notice == DTVR_NOTICE_EVENT) {
        told->events++;
    } else if (notice == DTVR_NOTICE_FINDING) {
        told->findings++;
        if (code != 2201)
            told->is_well_formed = false;
    } else {
        told->errors++;
        told->last_error = code;
    }
    pthread_mutex_unlock(&told->lock);
}

static struct told *new_told(void)
{
    struct told *told = calloc(1, sizeof *told);
    pthread_mutex_init(&told->lock, NULL);
    told->is_well_formed = true;
    return told;
}

static dtvr_options options_for(const char *folder, struct told *told)
{
    dtvr_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.directory.bytes = folder;
    options.directory.length = strlen(folder);
    options.notify = told ? notify : NULL;
    options.context = told;
    return options;
}

static dtvr_counts counts_of(dtvr_session *session)
{
    dtvr_counts counts;
    memset(&counts, 0, sizeof counts);
    counts.size = sizeof counts;
    EXPECT(dtvr_get_counts(session, &counts) == DTVR_DONE);
    EXPECT(counts.handed ==
           counts.stored + counts.repeats + counts.ignored + counts.invalid + counts.discarded);
    return counts;
}

/* Calls are queued until the user's choice was read. Once the first is on the disk, they return their outcome. */
static void wait_until_open(dtvr_session *session)
{
    EXPECT(dtvr_settle(session, 60000) == DTVR_DONE);
}

static void every_call(const char *folder)
{
    struct told *told = new_told();
    dtvr_options options = options_for(folder, told);
    dtvr_session *session = NULL;
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &session) == DTVR_DONE && session);
    wait_until_open(session);

    dtvr_state state;
    EXPECT(dtvr_get_state(session, &state) == DTVR_DONE && state == DTVR_STATE_IDLE);
    EXPECT(dtvr_play(session, "{\"channelName\":\"One\"}!", 21, DTVR_NO_TIME) == DTVR_DONE);
    EXPECT(dtvr_load_metadata(session, "{\"type\":\"content\",\"assetid\":\"A1\"}", DTVR_TO_NUL) == DTVR_DONE);
    EXPECT(dtvr_load_metadata(session, "not JSON", DTVR_TO_NUL) == DTVR_REFUSED);
    EXPECT(dtvr_load_metadata(session, NULL, 0) == DTVR_REFUSED);
    EXPECT(dtvr_load_metadata(session, "\xFF", 1) == DTVR_NOT_UTF8);
    EXPECT(dtvr_update_metadata(session, "{\"title\":\"\xC3\xA9t\xC3\xA9\"}", DTVR_TO_NUL) == DTVR_DONE);
    EXPECT(dtvr_get_state(session, &state) == DTVR_DONE && state == DTVR_STATE_PROCESSING);

    EXPECT(dtvr_send_id3(session, owner, strlen(owner), DTVR_NO_TIME) == DTVR_STORED);
    EXPECT(dtvr_send_id3(session, owner, strlen(owner), DTVR_NO_TIME) == DTVR_REPEAT);
    EXPECT(dtvr_send_id3(session, owner, DTVR_TO_NUL, DTVR_NO_TIME) == DTVR_REPEAT);
    EXPECT(dtvr_send_id3(session, "www.example.com/x", 17, DTVR_NO_TIME) == DTVR_IGNORED);
    EXPECT(dtvr_send_id3(session, "", 0, DTVR_NO_TIME) == DTVR_INVALID);
    EXPECT(dtvr_send_id3(session, NULL, 10, DTVR_NO_TIME) == DTVR_INVALID);
    EXPECT(dtvr_playhead_position(session, 1) == DTVR_DONE);
    EXPECT(dtvr_playhead_position(session, NAN) == DTVR_REFUSED);
    EXPECT(dtvr_send_id3(session, "www.nielsen.com/later", 21, 30) == DTVR_HELD);
    dtvr_counts counts = counts_of(session);
    EXPECT(counts.handed == 7 && counts.stored == 2 && counts.repeats == 2);
    EXPECT(counts.ignored == 1 && counts.invalid == 2);
    EXPECT(counts.held == 1 && counts.sessions == 1);
    EXPECT(dtvr_pause(session, 2) == DTVR_DONE);
    EXPECT(counts_of(session).held == 1);
    EXPECT(dtvr_stop(session, DTVR_NO_TIME) == DTVR_DONE);
    EXPECT(counts_of(session).held == 0 && counts_of(session).flushed == 1);

    EXPECT(dtvr_set_volume(session, 50) == DTVR_DONE);
    EXPECT(dtvr_set_mute(session, true) == DTVR_DONE);
    EXPECT(dtvr_update_ott(session, "{\"ottStatus\":\"1\"}", DTVR_TO_NUL) == DTVR_DONE);
    EXPECT(dtvr_track_viewability(session, "{\"invs\":[]}", DTVR_TO_NUL) == DTVR_DONE);
    EXPECT(dtvr_process_event(session, "no such event", DTVR_TO_NUL) == DTVR_UNKNOWN_CALL);
    EXPECT(dtvr_app_in_background(session) == DTVR_DONE);
    EXPECT(dtvr_app_in_foreground(session) == DTVR_DONE);
    EXPECT(counts_of(session).sessions == 2);
    EXPECT(dtvr_static_start(session, "{\"type\":\"static\",\"section\":\"home\"}", DTVR_TO_NUL) == DTVR_DONE);
    EXPECT(dtvr_static_end(session) == DTVR_DONE);
    EXPECT(dtvr_track_event(session,
        "{\"event\":\"playhead\",\"type\":\"content\",\"metadata\":{\"content\":{\"assetid\":\"B\"}},"
        "\"playheadPosition\":\"1\","
        "\"id3Data\":\"www.nielsen.com/tracked\"}", DTVR_TO_NUL) == DTVR_STORED);
    EXPECT(dtvr_ggpm(session, "sendID3", DTVR_TO_NUL, "www.nielsen.com/ggpm", DTVR_TO_NUL, DTVR_NO_TIME)
           == DTVR_STORED);
    EXPECT(dtvr_ggpm(session, "nothing", DTVR_TO_NUL, NULL, 0, DTVR_NO_TIME) == DTVR_UNKNOWN_CALL);
    EXPECT(dtvr_end(session, 60) == DTVR_DONE);

    /* Any call by its name. If the answer does not fit, its length is returned, and the call is made anyway. */
    char text[512];
    size_t length = 0;
    const char *called = "[\"www.nielsen.com/called\"]";
    EXPECT(dtvr_call(session, "sendid3", DTVR_TO_NUL, called, DTVR_TO_NUL, text, sizeof text, &length)
           == DTVR_STORED);
    EXPECT(strstr(text, "\"outcome\":\"stored\"") && strlen(text) == length);
    EXPECT(dtvr_call(session, "sendID3", DTVR_TO_NUL, "[\"www.nielsen.com/short\"]", DTVR_TO_NUL, text, 20, NULL)
           == DTVR_TOO_SMALL);
    EXPECT(dtvr_call(session, "sendID3", DTVR_TO_NUL, "{}", DTVR_TO_NUL, text, sizeof text, &length) == DTVR_REFUSED);
    EXPECT(dtvr_call(session, "nosuch", DTVR_TO_NUL, NULL, 0, text, sizeof text, &length) == DTVR_UNKNOWN_CALL);
    EXPECT(dtvr_call(session, NULL, 0, NULL, 0, text, sizeof text, &length) == DTVR_NULL_POINTER);
    EXPECT(counts_of(session).stored == 6);

    EXPECT(dtvr_call(session, "getMeterVersion", DTVR_TO_NUL, NULL, 0, text, sizeof text, &length) == DTVR_DONE);
    EXPECT(strstr(text, "\"value\":\"") && strstr(text, dtvr_version()));
    EXPECT(dtvr_call(session, "optOutURL", DTVR_TO_NUL, NULL, 0, text, sizeof text, &length) == DTVR_DONE);
    EXPECT(strstr(text, "\"value\":null"));
    EXPECT(dtvr_call(session, "optOutStatus", DTVR_TO_NUL, NULL, 0, text, sizeof text, &length) == DTVR_DONE);
    EXPECT(strstr(text, "\"value\":false"));
    EXPECT(dtvr_call(session, "getLastOccurredEvent", DTVR_TO_NUL, NULL, 0, text, sizeof text, &length) == DTVR_DONE);
    EXPECT(strstr(text, "\"value\":{\"code\":2001,"));
    EXPECT(dtvr_call(session, "deviceId", DTVR_TO_NUL, NULL, 0, text, sizeof text, &length) == DTVR_DONE);
    EXPECT(strstr(text, "\"value\":\""));

    char found[8192];
    EXPECT(dtvr_findings(session, found, sizeof found, &length) == DTVR_DONE && strstr(found, "\"tag.repeat\":2"));
    EXPECT(strstr(found, "\"details\":[{\"id\":") && strstr(found, "\"expected\":\"each tag once\""));
    EXPECT(strstr(found, "\"source\":\"field practice\",\"count\":2"));
    EXPECT(dtvr_findings(session, NULL, 0, &length) == DTVR_TOO_SMALL && length > 10);
    EXPECT(dtvr_last_event(session, text, sizeof text, &length) == DTVR_DONE && strstr(text, "\"code\":2001"));
    EXPECT(dtvr_last_error(session, text, sizeof text, &length) == DTVR_DONE && strstr(text, "\"code\":"));
    EXPECT(dtvr_last_occurred(session, text, sizeof text, &length) == DTVR_DONE);
    EXPECT(dtvr_device_id(session, text, sizeof text, &length) == DTVR_DONE && length > 8);
    EXPECT(dtvr_device_id(session, text, length, &length) == DTVR_TOO_SMALL);
    EXPECT(dtvr_device_id(session, text, length + 1, &length) == DTVR_DONE);
    EXPECT(dtvr_first_party_id(session, text, sizeof text, &length) == DTVR_DONE);
    EXPECT(dtvr_opt_out_url(session, text, sizeof text, &length) == DTVR_NOTHING && length == 0 && text[0] == 0);

    bool is_out = true;
    EXPECT(dtvr_opt_out_status(session, &is_out) == DTVR_DONE && !is_out);
    EXPECT(dtvr_user_opt_out(session, "https://example.com/", DTVR_TO_NUL) == DTVR_IGNORED);
    EXPECT(dtvr_user_opt_out(session, "nielsenappsdk://1", DTVR_TO_NUL) == DTVR_DONE);
    EXPECT(dtvr_opt_out_status(session, &is_out) == DTVR_DONE && is_out);
    EXPECT(dtvr_send_id3(session, owner, strlen(owner), DTVR_NO_TIME) == DTVR_DISCARDED);
    EXPECT(dtvr_device_id(session, text, sizeof text, &length) == DTVR_NOTHING);
    EXPECT(dtvr_user_opt_out(session, "nielsenappsdk://0", DTVR_TO_NUL) == DTVR_DONE);
    EXPECT(dtvr_disable(session, true) == DTVR_DONE);
    EXPECT(dtvr_get_state(session, &state) == DTVR_DONE && state == DTVR_STATE_DISABLED);
    EXPECT(dtvr_send_id3(session, owner, strlen(owner), DTVR_NO_TIME) == DTVR_DISCARDED);
    EXPECT(dtvr_disable(session, false) == DTVR_DONE);

    EXPECT(dtvr_shut_down(session) == DTVR_DONE);
    EXPECT(dtvr_get_state(session, &state) == DTVR_DONE && state == DTVR_STATE_INITIAL);
    EXPECT(dtvr_init(session, app, strlen(app)) == DTVR_DONE);
    EXPECT(dtvr_settle(session, 60000) == DTVR_DONE);
    counts = counts_of(session);
    EXPECT(counts.accepted == counts.stored && counts.queued == 0 && counts.lost == 0);
    /* A caller with an older header gets the fields of that header. No other byte changes. */
    struct { dtvr_counts counts; } guard;
    memset(&guard, 0x5A, sizeof guard);
    guard.counts.size = offsetof(dtvr_counts, stored);
    EXPECT(dtvr_get_counts(session, &guard.counts) == DTVR_DONE && guard.counts.handed == counts.handed);
    EXPECT(guard.counts.stored == UINT64_C(0x5A5A5A5A5A5A5A5A));
    dtvr_buffer_counts buffer;
    memset(&buffer, 0x5A, sizeof buffer);
    buffer.size = sizeof buffer;
    EXPECT(dtvr_get_buffer_counts(session, &buffer) == DTVR_DONE && buffer.size == sizeof buffer);
    EXPECT(buffer.accepted == counts.accepted + counts.summaries);
    EXPECT(buffer.waiting == buffer.accepted && buffer.delivered == 0);
    EXPECT(buffer.evicted + buffer.expired + buffer.dead + buffer.pruned + buffer.damaged == 0);
    EXPECT(buffer.in_memory + buffer.memory_lost + buffer.refused == 0);
    dtvr_delivery delivery;
    memset(&delivery, 0x5A, sizeof delivery);
    delivery.size = sizeof delivery;
    EXPECT(dtvr_get_delivery(session, &delivery) == DTVR_DONE && delivery.state == DTVR_DELIVERY_OFF);
    EXPECT(delivery.code == 0 && delivery.since_unix_ms == 0 && delivery.dead_letters == 0);
    EXPECT(dtvr_get_delivery(session, NULL) == DTVR_NULL_POINTER);
    EXPECT(dtvr_delivery_reason(session, text, sizeof text, &length) == DTVR_DONE && strstr(text, "no configuration"));
    buffer.size = 4;
    EXPECT(dtvr_get_buffer_counts(session, &buffer) == DTVR_INVALID_OPTION);
    EXPECT(dtvr_get_buffer_counts(session, NULL) == DTVR_NULL_POINTER);
    dtvr_ending ending;
    memset(&ending, 0x5A, sizeof ending);
    ending.size = 4;
    EXPECT(dtvr_finish(session, 60000, &ending) == DTVR_INVALID_OPTION);
    ending.size = sizeof ending;
    EXPECT(dtvr_finish(session, 60000, &ending) == DTVR_DONE);
    /* The records of the second app session are made at its end: the app, and how long it ran. */
    EXPECT(ending.delivered == 0 && ending.waiting == counts.accepted + counts.summaries + 2);
    EXPECT(ending.state == DTVR_DELIVERY_OFF && ending.code == 0);
    atomic_store(&told->is_over, true);

    /* The pointer of a destroyed session, and an invented one. */
    dtvr_session *const gone[] = {session, (dtvr_session *)&ending};
    for (int i = 0; i < 2; i++) {
        EXPECT(dtvr_send_id3(gone[i], owner, strlen(owner), DTVR_NO_TIME) == DTVR_NO_SESSION);
        EXPECT(dtvr_get_state(gone[i], &state) == DTVR_NO_SESSION);
        EXPECT(dtvr_findings(gone[i], text, sizeof text, &length) == DTVR_NO_SESSION);
        EXPECT(dtvr_settle(gone[i], 1000) == DTVR_NO_SESSION);
        EXPECT(dtvr_deliver_within(gone[i], 1000, NULL) == DTVR_NO_SESSION);
        EXPECT(dtvr_feed_segment(gone[i], "", 0, DTVR_NO_TIME, 0, 0, NULL) == DTVR_NO_SESSION);
        EXPECT(dtvr_destroy(gone[i], 1000) == DTVR_NO_SESSION);
    }
    EXPECT(told->is_well_formed && told->events >= 3 && told->errors >= 2 && told->findings >= 3);
    pthread_mutex_destroy(&told->lock);
    free(told);
}

/* Invalid arguments return a status, and no session that the caller would have to destroy. */
static void what_is_refused(const char *folder)
{
    dtvr_options options = options_for(folder, NULL);
    dtvr_session *session = (dtvr_session *)&options;
    EXPECT(dtvr_create(NULL, app, DTVR_TO_NUL, &session) == DTVR_NULL_POINTER && !session);
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, NULL) == DTVR_NULL_POINTER);
    EXPECT(dtvr_create(&options, "\xC3", 1, &session) == DTVR_NOT_UTF8 && !session);
    options.size = 4;
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &session) == DTVR_INVALID_OPTION && !session);
    options = options_for("", NULL);
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &session) == DTVR_INVALID_OPTION);
    options = options_for("\xFF", NULL);
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &session) == DTVR_NOT_UTF8);
    options = options_for(folder, NULL);
    options.maximum_bytes = 1999999;
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &session) == DTVR_INVALID_OPTION);
    options = options_for(folder, NULL);
    options.maximum_age_seconds = UINT64_MAX;
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &session) == DTVR_INVALID_OPTION);

    char text[8];
    size_t length;
    bool flag;
    dtvr_state state;
    dtvr_counts counts = {0};
    EXPECT(dtvr_play(NULL, app, DTVR_TO_NUL, 0) == DTVR_NULL_POINTER);
    EXPECT(dtvr_send_id3(NULL, owner, 1, 0) == DTVR_NULL_POINTER);
    EXPECT(dtvr_settle(NULL, 0) == DTVR_NULL_POINTER);
    EXPECT(dtvr_deliver_within(NULL, 0, NULL) == DTVR_NULL_POINTER);
    EXPECT(dtvr_feed_segment(NULL, "", 0, DTVR_NO_TIME, 0, 0, NULL) == DTVR_NULL_POINTER);
    EXPECT(dtvr_findings(NULL, text, sizeof text, &length) == DTVR_NULL_POINTER);
    EXPECT(dtvr_opt_out_status(NULL, &flag) == DTVR_NULL_POINTER);
    EXPECT(dtvr_get_state(NULL, &state) == DTVR_NULL_POINTER);
    EXPECT(dtvr_get_counts(NULL, &counts) == DTVR_NULL_POINTER);
    EXPECT(dtvr_destroy(NULL, 0) == DTVR_DONE);
    EXPECT(strlen(dtvr_version()) >= 5);
    for (int status = -20; status < 20; status++)
        EXPECT(strlen(dtvr_status_text((dtvr_status)status)) > 3);
    EXPECT(dtvr_status_text(DTVR_FORKED) == dtvr_status_text(DTVR_FORKED));
    EXPECT(strcmp(dtvr_error_text(3), "the ID3 data cannot be read") == 0 && strlen(dtvr_error_text(-7)) > 3);
}

/* With a folder that cannot be created, tags stay in memory, and a notification names the reason. */
static void no_folder(void)
{
    struct told *told = new_told();
    dtvr_options options = options_for("/dev/null/no", told);
    dtvr_session *session = NULL;
    EXPECT(dtvr_create(&options, NULL, 0, &session) == DTVR_DONE);
    dtvr_status status = dtvr_send_id3(session, owner, strlen(owner), DTVR_NO_TIME);
    EXPECT(status == DTVR_STORED || status == DTVR_QUEUED);
    EXPECT(dtvr_settle(session, 60000) == DTVR_NOT_ON_DISK);
    dtvr_counts counts = counts_of(session);
    EXPECT(counts.stored == 1 && counts.queued == 1 && counts.accepted == 0);
    dtvr_buffer_counts buffer = {0};
    buffer.size = sizeof buffer;
    EXPECT(dtvr_get_buffer_counts(session, &buffer) == DTVR_NOTHING);
    EXPECT(dtvr_destroy(session, 60000) == DTVR_NOT_ON_DISK);
    EXPECT(told->errors >= 1 && told->last_error != 0);
    pthread_mutex_destroy(&told->lock);
    free(told);
}

static dtvr_session *shared;

static void *caller(void *number)
{
    char tag[64];
    for (int i = 0; i < 100; i++) {
        int length = snprintf(tag, sizeof tag, "www.nielsen.com/%d/%d", (int)(intptr_t)number, i);
        EXPECT(dtvr_send_id3(shared, tag, length, DTVR_NO_TIME) >= 0);
        EXPECT(dtvr_playhead_position(shared, i) >= 0);
    }
    return NULL;
}

static void ten_threads(const char *folder)
{
    dtvr_options options = options_for(folder, NULL);
    uint64_t before = 0;
    EXPECT(dtvr_create(&options, app, DTVR_TO_NUL, &shared) == DTVR_DONE);
    before = counts_of(shared).handed;
    pthread_t threads[10];
    for (intptr_t i = 0; i < 10; i++)
        pthread_create(&threads[i], NULL, caller, (void *)i);
    for (int i = 0; i < 10; i++)
        pthread_join(threads[i], NULL);
    EXPECT(dtvr_settle(shared, 60000) == DTVR_DONE);
    dtvr_counts counts = counts_of(shared);
    EXPECT(counts.handed == before + 1000 && counts.stored == 1000 && counts.accepted == 1000);
    EXPECT(dtvr_destroy(shared, 60000) == DTVR_DONE);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    what_is_refused(argv[1]);
    every_call(argv[1]);
    no_folder();
    ten_threads(argv[1]);
    wait_until_nothing_is_lost();
    return failures ? 1 : 0;
}
