// The functions of libavformat, libavcodec and libavutil that this package calls; see CDTVRLibrary.h.

#define DTVR_ABSENT AVERROR(ENOSYS)

// libavformat
DTVR_FUNCTION(NULL, const AVInputFormat *, av_find_input_format, (const char *name), (name))
DTVR_FUNCTION(NULL, AVFormatContext *, avformat_alloc_context, (void), ())
DTVR_FUNCTION(
    DTVR_ABSENT, int, avformat_open_input,
    (AVFormatContext **context, const char *url, const AVInputFormat *format, AVDictionary **options),
    (context, url, format, options))
DTVR_PROCEDURE(avformat_close_input, (AVFormatContext **context), (context))
DTVR_FUNCTION(DTVR_ABSENT, int, av_read_frame, (AVFormatContext *context, AVPacket *packet), (context, packet))
DTVR_FUNCTION(
    DTVR_ABSENT, int, avformat_alloc_output_context2,
    (AVFormatContext **context, const AVOutputFormat *format, const char *name, const char *file),
    (context, format, name, file))
DTVR_PROCEDURE(avformat_free_context, (AVFormatContext *context), (context))
DTVR_FUNCTION(
    NULL, AVStream *, avformat_new_stream, (AVFormatContext *context, const AVCodec *codec), (context, codec))
DTVR_FUNCTION(
    DTVR_ABSENT, int, avformat_write_header, (AVFormatContext *context, AVDictionary **options),
    (context, options))
DTVR_FUNCTION(DTVR_ABSENT, int, av_write_frame, (AVFormatContext *context, AVPacket *packet), (context, packet))

// libavformat 61 passes immutable bytes to the callback that writes.
#if LIBAVFORMAT_VERSION_MAJOR < 61
#define DTVR_WRITTEN_BYTE uint8_t
#else
#define DTVR_WRITTEN_BYTE const uint8_t
#endif
DTVR_FUNCTION(
    NULL, AVIOContext *, avio_alloc_context,
    (unsigned char *buffer, int size, int writes, void *opaque, int (*read)(void *, uint8_t *, int),
     int (*write)(void *, DTVR_WRITTEN_BYTE *, int), int64_t (*seek)(void *, int64_t, int)),
    (buffer, size, writes, opaque, read, write, seek))
#undef DTVR_WRITTEN_BYTE
DTVR_PROCEDURE(avio_context_free, (AVIOContext **context), (context))
DTVR_PROCEDURE(avio_flush, (AVIOContext *context), (context))

// libavcodec
DTVR_FUNCTION(NULL, const AVCodec *, avcodec_find_encoder_by_name, (const char *name), (name))
DTVR_FUNCTION(NULL, AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec))
DTVR_PROCEDURE(avcodec_free_context, (AVCodecContext **context), (context))
DTVR_FUNCTION(
    DTVR_ABSENT, int, avcodec_open2, (AVCodecContext *context, const AVCodec *codec, AVDictionary **options),
    (context, codec, options))
DTVR_FUNCTION(
    DTVR_ABSENT, int, avcodec_parameters_from_context, (AVCodecParameters *parameters, const AVCodecContext *context),
    (parameters, context))
DTVR_FUNCTION(
    DTVR_ABSENT, int, avcodec_send_frame, (AVCodecContext *context, const AVFrame *frame), (context, frame))
DTVR_FUNCTION(
    DTVR_ABSENT, int, avcodec_receive_packet, (AVCodecContext *context, AVPacket *packet), (context, packet))
DTVR_FUNCTION(NULL, AVPacket *, av_packet_alloc, (void), ())
DTVR_PROCEDURE(av_packet_free, (AVPacket **packet), (packet))
DTVR_FUNCTION(DTVR_ABSENT, int, av_packet_ref, (AVPacket *packet, const AVPacket *source), (packet, source))
DTVR_PROCEDURE(av_packet_unref, (AVPacket *packet), (packet))
DTVR_PROCEDURE(
    av_packet_rescale_ts, (AVPacket *packet, AVRational source, AVRational target), (packet, source, target))

// libavutil
DTVR_FUNCTION(NULL, struct AVAES *, av_aes_alloc, (void), ())
DTVR_FUNCTION(
    DTVR_ABSENT, int, av_aes_init, (struct AVAES *cipher, const uint8_t *key, int bits, int decrypts),
    (cipher, key, bits, decrypts))
DTVR_PROCEDURE(
    av_aes_crypt,
    (struct AVAES *cipher, uint8_t *target, const uint8_t *source, int count, uint8_t *vector, int decrypts),
    (cipher, target, source, count, vector, decrypts))
DTVR_PROCEDURE(av_channel_layout_default, (AVChannelLayout *layout, int count), (layout, count))
DTVR_FUNCTION(0, int, av_dict_count, (const AVDictionary *dictionary), (dictionary))
DTVR_PROCEDURE(av_dict_free, (AVDictionary **dictionary), (dictionary))
DTVR_FUNCTION(
    DTVR_ABSENT, int, av_dict_set, (AVDictionary **dictionary, const char *key, const char *value, int flags),
    (dictionary, key, value, flags))
DTVR_FUNCTION(NULL, AVFrame *, av_frame_alloc, (void), ())
DTVR_PROCEDURE(av_frame_free, (AVFrame **frame), (frame))
DTVR_FUNCTION(DTVR_ABSENT, int, av_frame_get_buffer, (AVFrame *frame, int alignment), (frame, alignment))
DTVR_FUNCTION(DTVR_ABSENT, int, av_frame_make_writable, (AVFrame *frame), (frame))
DTVR_FUNCTION(NULL, void *, av_malloc, (size_t size), (size))
DTVR_PROCEDURE(av_free, (void *pointer), (pointer))
DTVR_PROCEDURE(av_freep, (void *pointer), (pointer))
DTVR_FUNCTION(
    DTVR_ABSENT, int, av_opt_set, (void *object, const char *name, const char *value, int flags),
    (object, name, value, flags))
DTVR_FUNCTION(DTVR_ABSENT, int, av_strerror, (int code, char *text, size_t size), (code, text, size))
DTVR_PROCEDURE(av_log_set_level, (int level), (level))

#undef DTVR_ABSENT
