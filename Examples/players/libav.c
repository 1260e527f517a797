/*
 * A player that uses libavformat. The tags of a transport stream arrive as packets of a data stream, with the bytes and
 * the time of the tag. libavformat 5.1 drops the first five bytes of some; players that can see the bytes of segments
 * feed them instead (segments.c).
 *
 *     cc libav.c $(pkg-config --cflags --libs dtvr libavformat libavcodec libavutil) -lm -o libav
 *     libav FOLDER URL
 *
 * FOLDER stores the tags; URL is the address of a playlist. The packets of picture and sound are not decoded.
 */
#include <dtvr.h>
#include <inttypes.h>
#include <libavformat/avformat.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: libav FOLDER URL\n");
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
        fprintf(stderr, "libav: %s\n", dtvr_status_text(status));
        return 1;
    }
    dtvr_settle(session, 10000);
    dtvr_play(session, "{\"channelName\": \"Harbour TV\"}", DTVR_TO_NUL, DTVR_NO_TIME);
    dtvr_load_metadata(
        session, "{\"type\": \"content\", \"assetid\": \"HARBOUR0205\", \"program\": \"Harbour Lights\"}", DTVR_TO_NUL);

    AVFormatContext *input = NULL;
    if (avformat_open_input(&input, argv[2], NULL, NULL) < 0 || avformat_find_stream_info(input, NULL) < 0) {
        fprintf(stderr, "libav: %s cannot be read\n", argv[2]);
        return 1;
    }
    double first = NAN, last = 0;
    AVPacket *packet = av_packet_alloc();
    while (av_read_frame(input, packet) >= 0) {
        AVStream *stream = input->streams[packet->stream_index];
        int64_t pts = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
        double time = pts != AV_NOPTS_VALUE ? pts * av_q2d(stream->time_base) : NAN;
        if (stream->codecpar->codec_id == AV_CODEC_ID_TIMED_ID3) {
            /* The session holds the tag until the playhead reaches its time. */
            dtvr_send_id3(session, packet->data, packet->size, isnan(first) ? time : time - first);
        } else if (!isnan(time)) {
            if (isnan(first))
                first = time;
            /* A player reports what it presents; this one presents each packet at once. */
            if (time - first >= last + 1) {
                last = time - first;
                dtvr_playhead_position(session, last);
            }
        }
        av_packet_unref(packet);
    }
    av_packet_free(&packet);
    avformat_close_input(&input);
    dtvr_playhead_position(session, last + 2);
    dtvr_end(session, last + 2);
    dtvr_counts counts = {0};
    counts.size = sizeof counts;
    dtvr_get_counts(session, &counts);
    printf(
        "%" PRIu64 " tags, %" PRIu64 " stored, %" PRIu64 " of other owners, %" PRIu64 " not presented\n", counts.handed,
        counts.stored, counts.ignored, counts.flushed);
    status = dtvr_destroy(session, 10000);
    return status != DTVR_DONE;
}
