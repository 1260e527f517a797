/*
 * A player that loads its segments itself, or can look at the bytes that it loads. It feeds whole segments to the
 * session, which finds their tags and holds each until the playhead reaches it.
 *
 *     cc segments.c $(pkg-config --cflags --libs dtvr) -o segments
 *     segments FOLDER SECONDS SEGMENT...
 *
 * FOLDER stores the tags. The SEGMENTs are the files of one playlist, of SECONDS each, in order. All are loaded before
 * the first is played, as players do that load ahead.
 */
#include <dtvr.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Feeds a file that is presented from the playhead `start` on. */
static int feed(dtvr_session *session, const char *path, double start)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    static unsigned char bytes[32 << 20];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    dtvr_fed fed = {0};
    fed.size = sizeof fed;
    dtvr_status status = dtvr_feed_segment(session, bytes, length, start, 0, 0, &fed);
    if (status != DTVR_DONE) {
        fprintf(stderr, "%s: %s\n", path, dtvr_status_text(status));
        return 1;
    }
    printf("%s: %" PRIu64 " tags, %" PRIu64 " repeats\n", path, fed.tags, fed.repeats);
    return 0;
}

int main(int argc, char **argv)
{
    double duration = argc > 2 ? atof(argv[2]) : 0;
    if (argc < 4 || duration <= 0) {
        fprintf(stderr, "usage: segments FOLDER SECONDS SEGMENT...\n");
        return 2;
    }
    dtvr_options options = {0};
    options.size = sizeof options;
    options.directory = (dtvr_text){argv[1], strlen(argv[1])};
    dtvr_session *session;
    dtvr_status status = dtvr_create(
        &options,
        "{\"appid\": \"T0000D7A1-0000-4000-8000-00000000D7A1\", \"appname\": \"player\", \"appversion\": \"1.0\"}",
        DTVR_TO_NUL, &session);
    if (status < 0) {
        fprintf(stderr, "segments: %s\n", dtvr_status_text(status));
        return 1;
    }
    dtvr_settle(session, 10000);
    dtvr_play(session, "{\"channelName\": \"Harbour TV\"}", DTVR_TO_NUL, DTVR_NO_TIME);
    dtvr_load_metadata(
        session, "{\"type\": \"content\", \"assetid\": \"HARBOUR0205\", \"program\": \"Harbour Lights\"}", DTVR_TO_NUL);

    int failures = 0;
    for (int i = 3; i < argc; i++)
        failures += feed(session, argv[i], (i - 3) * duration);
    dtvr_counts counts = {0};
    counts.size = sizeof counts;
    dtvr_get_counts(session, &counts);
    printf("loaded: %" PRIu64 " tags, %" PRIu64 " held\n", counts.stored, counts.held);
    for (double playhead = 0; playhead <= (argc - 3) * duration; playhead++)
        dtvr_playhead_position(session, playhead);
    dtvr_get_counts(session, &counts);
    printf("played: %" PRIu64 " held\n", counts.held);
    dtvr_end(session, (argc - 3) * duration);
    status = dtvr_destroy(session, 10000);
    return failures > 0 || status != DTVR_DONE;
}
