import CDTVRLibAV

/// A libavformat muxer that writes to memory, and owns an `AVFormatContext` and its `AVIOContext`.
@safe struct Muxer: ~Copyable {
    // Owned and never nil: allocated by `open`, freed once by deinit, together with the context's `pb`.
    let context: UnsafeMutablePointer<AVFormatContext>
    private let sink: MemorySink

    /// A multiple of 188, so that a transport stream is written in whole packets.
    private static let bufferSize = 188 * 175

    private init(owning context: UnsafeMutablePointer<AVFormatContext>, sink: MemorySink) {
        unsafe self.context = unsafe context
        self.sink = sink
    }

    /// Creates a muxer without streams.
    static func open(_ name: String) throws(SynthesisError) -> Muxer {
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        guard unsafe avformat_alloc_output_context2(&allocated, nil, name, nil) >= 0,
            let context = unsafe allocated
        else { throw .muxerMissing(name: name) }
        // From here on, deinit frees the context, even if an error is thrown.
        let sink = MemorySink()
        let muxer = unsafe Muxer(owning: context, sink: sink)
        unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT | AVFMT_FLAG_CUSTOM_IO
        unsafe context.pointee.avoid_negative_ts = 0
        guard let buffer = unsafe av_malloc(bufferSize) else { throw outOfMemory("av_malloc") }
        // The sink outlives the AVIOContext, which deinit frees before this value releases the sink.
        let opaque = unsafe Unmanaged.passUnretained(sink).toOpaque()
        let io = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(bufferSize), 1, opaque, nil,
            { opaque, bytes, count in
                guard let opaque = unsafe opaque, let bytes = unsafe bytes, count > 0 else { return count }
                // libavformat passes `count` bytes that do not change during the call.
                let sink = unsafe Unmanaged<MemorySink>.fromOpaque(opaque).takeUnretainedValue()
                unsafe sink.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
                return count
            }, nil)
        guard let io = unsafe io else {
            unsafe av_free(buffer)
            throw outOfMemory("avio_alloc_context")
        }
        unsafe context.pointee.pb = unsafe io
        return muxer
    }

    deinit {
        // libavformat may have replaced the buffer, so it is freed through the AVIOContext.
        if let io = unsafe context.pointee.pb {
            unsafe av_freep(&io.pointee.buffer)
            var owned: UnsafeMutablePointer<AVIOContext>? = unsafe io
            unsafe avio_context_free(&owned)
            unsafe context.pointee.pb = nil
        }
        unsafe avformat_free_context(context)
    }

    /// Adds a stream on `pid` with the parameters of an encoder, and returns its index.
    mutating func addStream(pid: Int32, of encoder: borrowing Encoder) throws(SynthesisError) -> Int32 {
        let stream = try unsafe newStream(pid: pid)
        // The stream belongs to the context, and its parameters to the stream.
        try unsafe libAV(
            "avcodec_parameters_from_context",
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context))
        unsafe stream.pointee.codecpar.pointee.codec_tag = 0
        return unsafe stream.pointee.index
    }

    /// Adds the video stream and returns its index, or -1 without video.
    mutating func addStream(pid: Int32, of pictures: borrowing PictureSource?) throws(SynthesisError) -> Int32
    {
        switch pictures {
        case .some(let source): try addStream(pid: pid, of: source.encoder)
        case .none: -1
        }
    }

    /// Declares a stream of timed ID3 on `pid`, whose packets are not written through the muxer.
    mutating func addTimedID3(pid: Int32) throws(SynthesisError) {
        let stream = try unsafe newStream(pid: pid)
        // Ownership is the same as in `addStream`.
        unsafe stream.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_DATA
        unsafe stream.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_TIMED_ID3
    }

    private func newStream(pid: Int32) throws(SynthesisError) -> UnsafeMutablePointer<AVStream> {
        guard let stream = unsafe avformat_new_stream(context, nil) else {
            throw outOfMemory("avformat_new_stream")
        }
        unsafe stream.pointee.id = pid
        unsafe stream.pointee.time_base = AVRational(num: 1, den: Int32(SynthesisClock.ticksPerSecond))
        return unsafe stream
    }

    /// Writes the header with the muxer's options.
    mutating func begin(options: [(String, String)]) throws(SynthesisError) {
        let context = unsafe self.context
        var options = try LibAVOptions(options)
        try unsafe options.pass(to: "avformat_write_header") { dictionary in
            unsafe avformat_write_header(context, dictionary)
        }
    }

    /// Writes a packet whose times are in ticks of 90 kHz.
    mutating func write(_ packet: borrowing EncodedPacket, stream: Int32) throws(SynthesisError) {
        // The index is valid, because it comes from `addStream`; the time base may change when the header is written.
        guard let target = unsafe context.pointee.streams[Int(stream)] else {
            throw .unexpectedOutput(rule: "an added stream remains")
        }
        unsafe packet.pointer.pointee.stream_index = stream
        unsafe av_packet_rescale_ts(
            packet.pointer, AVRational(num: 1, den: Int32(SynthesisClock.ticksPerSecond)),
            target.pointee.time_base)
        try unsafe libAV("av_write_frame", av_write_frame(context, packet.pointer))
    }

    /// Flushes buffered data: the audio of an incomplete PES packet, or a fragment.
    mutating func flush() throws(SynthesisError) {
        // A null packet flushes the muxer.
        try unsafe libAV("av_write_frame", av_write_frame(context, nil))
        unsafe avio_flush(context.pointee.pb)
    }

    /// Sets one of the muxer's private options while it runs.
    mutating func set(_ option: String, _ value: String) throws(SynthesisError) {
        // The muxer has private options, so `priv_data` is its own structure.
        try unsafe libAV("av_opt_set", av_opt_set(context.pointee.priv_data, option, value, 0))
    }

    /// Sets how early a packet may be sent at most, relative to its timestamp.
    mutating func setDelay(microseconds: Int32) {
        // The context is owned by this value.
        unsafe context.pointee.max_delay = microseconds
    }

    /// Sets a label that the muxer writes into its service description.
    mutating func label(_ key: String, _ value: String) throws(SynthesisError) {
        // The dictionary belongs to the context, which frees it.
        try unsafe libAV("av_dict_set", av_dict_set(&context.pointee.metadata, key, value, 0))
    }

    /// Returns and clears the bytes written so far.
    mutating func drainBytes() -> [UInt8] {
        // The sink is not accessed elsewhere during this mutating call.
        let bytes = sink.bytes
        sink.bytes = []
        return bytes
    }
}

/// The output of a muxer.
///
/// It is a class, because the libavformat callback refers to it by its address.
private final class MemorySink {
    var bytes: [UInt8] = []
}
