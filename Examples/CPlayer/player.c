/*
 * A player in C. It passes each line of standard input to a session as a tag, and prints the results.
 *
 * With a configuration, it waits up to ten seconds for the delivery of the tags. Tags that are not delivered by then
 * are sent after the next launch.
 *
 *     cc player.c $(pkg-config --cflags --libs dtvr) -o player
 *     player [--log FILE] FOLDER [CONFIGURATION] < owners.txt
 *
 * FOLDER stores the tags until they are delivered; the file CONFIGURATION names the collector. FILE is the log of the
 * session, which `dtvr certify` and `dtvr replay` read.
 */
#include <dtvr.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Runs on a thread of the library, so it uses only its arguments. */
static void notify(void *context, dtvr_notice notice, int32_t code, const char *text, size_t length, int64_t unix_ms)
{
    (void)unix_ms;
    const char *kind = notice == DTVR_NOTICE_EVENT ? "event" : notice == DTVR_NOTICE_ERROR ? "error" : "finding";
    fprintf(context, "%s %" PRId32 ": %.*s\n", kind, code, (int)length, text);
}

static dtvr_text text(const char *bytes)
{
    dtvr_text text = {bytes, bytes ? strlen(bytes) : 0};
    return text;
}

/* Prints the state of the delivery: "delivery: held (error 9), 0 dead letters: status 401: unauthorized". */
static void print_delivery(dtvr_session *session)
{
    static const char *const states[] = {"off", "idle", "sending", "retrying", "held", "elsewhere"};
    dtvr_delivery delivery = {0};
    delivery.size = sizeof delivery;
    if (dtvr_get_delivery(session, &delivery) != DTVR_DONE)
        return;
    unsigned state = delivery.state;
    printf("delivery: %s", state < sizeof states / sizeof *states ? states[state] : "unknown");
    if (delivery.code != 0)
        printf(" (error %" PRId32 ")", delivery.code);
    printf(", %" PRIu64 " dead letters", delivery.dead_letters);
    char reason[1024];
    size_t length = 0;
    if (dtvr_delivery_reason(session, reason, sizeof reason, &length) == DTVR_DONE)
        printf(": %s", reason);
    printf("\n");
}

int main(int argc, char **argv)
{
    const char *log = NULL;
    if (argc > 2 && strcmp(argv[1], "--log") == 0) {
        log = argv[2];
        argc -= 2;
        argv += 2;
    }
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: player [--log FILE] FOLDER [CONFIGURATION] < owners.txt\n");
        return 2;
    }
    dtvr_options options = {0};
    options.size = sizeof options;
    options.directory = text(argv[1]);
    options.configuration_file = text(argc > 2 ? argv[2] : NULL);
    options.notify = notify;
    options.context = stderr;
    options.log = text(log);

    dtvr_session *session;
    dtvr_status status = dtvr_create(
        &options,
        "{\"appid\": \"T0000D7A1-0000-4000-8000-00000000D7A1\", \"appname\": \"player\", \"appversion\": \"1.0\"}",
        DTVR_TO_NUL, &session);
    if (status < 0) {
        fprintf(stderr, "player: %s\n", dtvr_status_text(status));
        return 1;
    }
    dtvr_play(session, "{\"channelName\": \"Harbour TV\"}", DTVR_TO_NUL, DTVR_NO_TIME);
    dtvr_load_metadata(
        session, "{\"type\": \"content\", \"assetid\": \"HARBOUR0205\", \"program\": \"Harbour Lights\"}", DTVR_TO_NUL);

    char tag[4096];
    double playhead = 0;
    while (fgets(tag, sizeof tag, stdin)) {
        dtvr_send_id3(session, tag, strcspn(tag, "\r\n"), DTVR_NO_TIME);
        dtvr_playhead_position(session, playhead += 10);
    }
    dtvr_end(session, playhead);
    /* Once this returns DTVR_DONE, all tags are on disk and survive a crash. */
    dtvr_settle(session, 10000);

    dtvr_counts counts = {0};
    counts.size = sizeof counts;
    dtvr_get_counts(session, &counts);
    printf(
        "%" PRIu64 " tags, %" PRIu64 " stored, %" PRIu64 " repeats, %" PRIu64 " of other owners, %" PRIu64 " invalid\n",
        counts.handed, counts.stored, counts.repeats, counts.ignored, counts.invalid);
    if (argc > 2) {
        dtvr_delivered sent = {0};
        sent.size = sizeof sent;
        dtvr_deliver_within(session, 10000, &sent);
        printf("%" PRIu64 " delivered, %" PRIu64 " waiting\n", sent.delivered, sent.waiting);
        print_delivery(session);
    }
    status = dtvr_destroy(session, 10000);
    if (status != DTVR_DONE)
        fprintf(stderr, "player: %s\n", dtvr_status_text(status));
    return status == DTVR_DONE ? 0 : 1;
}
