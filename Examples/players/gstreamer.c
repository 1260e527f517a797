/*
 * A GStreamer player. Its demuxer has no pad for the stream of tags (type 0x15), so the player feeds the segments that
 * hlsdemux hands on to tsdemux.
 *
 *     cc gstreamer.c $(pkg-config --cflags --libs dtvr gstreamer-1.0) -o gstreamer
 *     gstreamer FOLDER URI
 *
 * FOLDER stores the tags; URI is the address of a playlist. Picture and sound go to fakesink. GST_SYNC=0 plays as fast
 * as possible.
 */
#include <dtvr.h>
#include <gst/gst.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The segment that a pad is handing on. */
struct track {
    dtvr_session *session;
    uint32_t number;
    GByteArray *bytes;
    double start;
    uint32_t flags;
};

static void feed(struct track *track)
{
    if (track->bytes->len > 0)
        dtvr_feed_segment(
            track->session, track->bytes->data, track->bytes->len, track->start, track->number, track->flags, NULL);
    g_byte_array_set_size(track->bytes, 0);
}

/* Collects the buffers of a segment: only the first one has a time. */
static GstPadProbeReturn on_data(GstPad *pad, GstPadProbeInfo *info, gpointer context)
{
    struct track *track = context;
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
        GstEventType type = GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info));
        if (type == GST_EVENT_EOS)
            feed(track);
        if (type == GST_EVENT_FLUSH_STOP) {
            /* The user has jumped. */
            g_byte_array_set_size(track->bytes, 0);
            track->flags = DTVR_FEED_JUMP;
        }
        return GST_PAD_PROBE_OK;
    }
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    if (GST_BUFFER_PTS_IS_VALID(buffer)) {
        feed(track);
        if (track->bytes->len == 0 && track->flags != DTVR_FEED_JUMP)
            track->flags = GST_BUFFER_IS_DISCONT(buffer) ? DTVR_FEED_DISCONTINUITY : 0;
        GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
        const GstSegment *segment;
        gst_event_parse_segment(event, &segment);
        GstClockTime time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        gst_event_unref(event);
        track->start = GST_CLOCK_TIME_IS_VALID(time) ? (double)time / GST_SECOND : DTVR_NO_TIME;
    }
    GstMapInfo map;
    if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        g_byte_array_append(track->bytes, map.data, map.size);
        gst_buffer_unmap(buffer, &map);
    }
    return GST_PAD_PROBE_OK;
}

static void free_track(gpointer context)
{
    struct track *track = context;
    g_byte_array_unref(track->bytes);
    g_free(track);
}

static void on_pad(GstElement *demux, GstPad *pad, gpointer session)
{
    static uint32_t count;
    (void)demux;
    struct track *track = g_new0(struct track, 1);
    track->session = session;
    track->number = count++ % 16;
    track->bytes = g_byte_array_new();
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_data,
        track, free_track);
}

static void on_element(GstBin *bin, GstBin *sub_bin, GstElement *element, gpointer session)
{
    (void)bin, (void)sub_bin;
    GstElementFactory *factory = gst_element_get_factory(element);
    if (factory && strcmp(GST_OBJECT_NAME(factory), "hlsdemux") == 0)
        g_signal_connect(element, "pad-added", G_CALLBACK(on_pad), session);
}

static void report_playhead(GstElement *player, dtvr_session *session)
{
    gint64 position;
    if (gst_element_query_position(player, GST_FORMAT_TIME, &position))
        dtvr_playhead_position(session, (double)position / GST_SECOND);
}

int main(int argc, char **argv)
{
    gst_init(&argc, &argv);
    if (argc != 3) {
        fprintf(stderr, "usage: gstreamer FOLDER URI\n");
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
        fprintf(stderr, "gstreamer: %s\n", dtvr_status_text(status));
        return 1;
    }
    dtvr_settle(session, 10000);
    dtvr_play(session, "{\"channelName\": \"Harbour TV\"}", DTVR_TO_NUL, DTVR_NO_TIME);
    dtvr_load_metadata(
        session, "{\"type\": \"content\", \"assetid\": \"HARBOUR0205\", \"program\": \"Harbour Lights\"}", DTVR_TO_NUL);
    dtvr_playhead_position(session, 0);

    GstElement *player = gst_element_factory_make("playbin", NULL);
    const char *sync = g_getenv("GST_SYNC");
    gboolean is_timed = !sync || strcmp(sync, "0") != 0;
    GstElement *picture = gst_element_factory_make("fakesink", NULL);
    GstElement *sound = gst_element_factory_make("fakesink", NULL);
    g_object_set(picture, "sync", is_timed, NULL);
    g_object_set(sound, "sync", is_timed, NULL);
    g_object_set(player, "uri", argv[2], "video-sink", picture, "audio-sink", sound, NULL);
    g_signal_connect(player, "deep-element-added", G_CALLBACK(on_element), session);
    gst_element_set_state(player, GST_STATE_PLAYING);

    GstBus *bus = gst_element_get_bus(player);
    GstMessage *end = NULL;
    while (!end) {
        end = gst_bus_timed_pop_filtered(bus, GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
        report_playhead(player, session);
    }
    gboolean has_failed = GST_MESSAGE_TYPE(end) == GST_MESSAGE_ERROR;
    if (has_failed) {
        GError *error;
        gst_message_parse_error(end, &error, NULL);
        fprintf(stderr, "gstreamer: %s\n", error->message);
        g_error_free(error);
    }
    gint64 duration;
    double last = gst_element_query_duration(player, GST_FORMAT_TIME, &duration) ? (double)duration / GST_SECOND : 0;
    gst_element_set_state(player, GST_STATE_NULL);
    dtvr_end(session, last);
    dtvr_counts counts = {0};
    counts.size = sizeof counts;
    dtvr_get_counts(session, &counts);
    printf(
        "%" PRIu64 " tags, %" PRIu64 " stored, %" PRIu64 " not presented\n", counts.handed, counts.stored,
        counts.flushed);
    gst_message_unref(end);
    gst_object_unref(bus);
    gst_object_unref(player);
    status = dtvr_destroy(session, 10000);
    return has_failed || status != DTVR_DONE;
}
