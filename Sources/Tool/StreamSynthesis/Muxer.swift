import CDTVRLibAV

/// A libavformat muxer that writes to memory, and owns an `AVFormatContext` and its `AVIOContext`.
///
/// It is a class, because the libavformat callback refers to it by its address.
@safe final class Muxer {
    // Owned and never nil: allocated by init, freed once by deinit, together with the context's `pb`.
    private let context: UnsafeMutablePointer<AVFormatContext>
    private var bytes: [UInt8] = []
    /// The index of the video stream, or -1 without video; the audio stream follows it.
    private var videoStream: Int32 = -1

    /// A multiple of 188, so that a transport stream is written in whole packets.
    private static let bufferSize = 188 * 175

    /// Creates a muxer without streams.
    init(_ name: String) throws(SynthesisError) {
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        guard unsafe dtvr_avformat_alloc_output_context2(&allocated, nil, name, nil) >= 0,
            let context = unsafe allocated
        else { throw .muxerMissing(name: name) }
        // From here on, deinit frees the context, even if an error is thrown.
        unsafe self.context = unsafe context
        unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT | AVFMT_FLAG_CUSTOM_IO
        unsafe context.pointee.avoid_negative_ts = 0
        guard let buffer = unsafe dtvr_av_malloc(Self.bufferSize) else { throw outOfMemory("av_malloc") }
        // The muxer outlives the AVIOContext, which deinit frees.
        let opaque = unsafe Unmanaged.passUnretained(self).toOpaque()
        let io = unsafe dtvr_avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 1, opaque, nil,
            { opaque, bytes, count in
                guard let opaque = unsafe opaque, let bytes = unsafe bytes, count > 0 else { return count }
                // libavformat passes `count` bytes that do not change during the call.
                let muxer = unsafe Unmanaged<Muxer>.fromOpaque(opaque).takeUnretainedValue()
                unsafe muxer.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return count
            }, nil)
        guard let io = unsafe io else {
            unsafe dtvr_av_free(buffer)
            throw outOfMemory("avio_alloc_context")
        }
        unsafe context.pointee.pb = unsafe io
    }

    deinit {
        // libavformat may have replaced the buffer, so it is freed through the AVIOContext.
        if let io = unsafe context.pointee.pb {
            unsafe dtvr_av_freep(&io.pointee.buffer)
            var owned: UnsafeMutablePointer<AVIOContext>? = unsafe io
            unsafe dtvr_avio_context_free(&owned)
            unsafe context.pointee.pb = nil
        }
        unsafe dtvr_avformat_free_context(context)
    }

    /// Adds the streams of a rendition, with the parameters of its encoders.
    func addStreams(
        pictures: borrowing PictureSource?, videoPID: UInt16, sound: borrowing SoundSource, audioPID: UInt16
    ) throws(SynthesisError) {
        switch pictures {
        case .some(let source):
            videoStream = 0
            try addStream(pid: Int32(videoPID), of: source.encoder)
        case .none: break
        }
        try addStream(pid: Int32(audioPID), of: sound.encoder)
    }

    private func addStream(pid: Int32, of encoder: borrowing Encoder) throws(SynthesisError) {
        let stream = try unsafe newStream(pid: pid)
        // The stream belongs to the context, and its parameters to the stream.
        try unsafe libAV(
            "avcodec_parameters_from_context",
            dtvr_avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context))
        unsafe stream.pointee.codecpar.pointee.codec_tag = 0
    }

    /// Declares a stream of timed ID3 on `pid`, whose packets are not written through the muxer.
    func addTimedID3(pid: UInt16) throws(SynthesisError) {
        let stream = try unsafe newStream(pid: Int32(pid))
        // Ownership is the same as in `addStream`.
        unsafe stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_DATA
        unsafe stream.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_TIMED_ID3
    }

    private func newStream(pid: Int32) throws(SynthesisError) -> UnsafeMutablePointer<AVStream> {
        guard let stream = unsafe dtvr_avformat_new_stream(context, nil) else {
            throw outOfMemory("avformat_new_stream")
        }
        unsafe stream.pointee.id = pid
        unsafe stream.pointee.time_base = AVRational(num: 1, den: Int32(SynthesisSettings.ticksPerSecond))
        return unsafe stream
    }

    /// Writes the header with the muxer's options.
    func begin(options: [(String, String)]) throws(SynthesisError) {
        try unsafe libAV("avformat_write_header", options: options) { dictionary in
            unsafe dtvr_avformat_write_header(context, dictionary)
        }
    }

    /// Writes a packet of the video or the audio stream, whose times are in ticks of 90 kHz.
    func write(_ packet: EncodedPacket, isPicture: Bool) throws(SynthesisError) {
        let stream = isPicture ? videoStream : videoStream + 1
        // The index is valid, because the stream was added; the time base may change when the header is written.
        guard stream >= 0, let target = unsafe context.pointee.streams[Int(stream)] else {
            throw .unexpectedOutput(rule: "an added stream remains")
        }
        unsafe packet.pointer.pointee.stream_index = stream
        unsafe dtvr_av_packet_rescale_ts(
            packet.pointer, AVRational(num: 1, den: Int32(SynthesisSettings.ticksPerSecond)),
            target.pointee.time_base)
        try unsafe libAV("av_write_frame", dtvr_av_write_frame(context, packet.pointer))
    }

    /// Flushes buffered data: the audio of an incomplete PES packet, or a fragment.
    func flush() throws(SynthesisError) {
        // A null packet flushes the muxer.
        try unsafe libAV("av_write_frame", dtvr_av_write_frame(context, nil))
        unsafe dtvr_avio_flush(context.pointee.pb)
    }

    /// Sets one of the muxer's private options while it runs.
    func set(_ option: String, _ value: String) throws(SynthesisError) {
        // The muxer has private options, so `priv_data` is its own structure.
        try unsafe libAV("av_opt_set", dtvr_av_opt_set(context.pointee.priv_data, option, value, 0))
    }

    /// Sets how early a packet may be sent at most, relative to its timestamp.
    func setDelay(microseconds: Int32) {
        // The context is owned by this value.
        unsafe context.pointee.max_delay = microseconds
    }

    /// Sets a label that the muxer writes into its service description.
    func label(_ key: String, _ value: String) throws(SynthesisError) {
        // The dictionary belongs to the context, which frees it.
        try unsafe libAV("av_dict_set", dtvr_av_dict_set(&context.pointee.metadata, key, value, 0))
    }

    /// Returns and clears the bytes written so far.
    func drainBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
