import CDTVRLibAV

/// An open libavcodec encoder, which owns an `AVCodecContext`.
@safe struct Encoder: ~Copyable {
    // Owned and never nil: allocated by `open`, freed once by deinit.
    let context: UnsafeMutablePointer<AVCodecContext>

    private init(owning context: UnsafeMutablePointer<AVCodecContext>) {
        unsafe self.context = unsafe context
    }

    /// Opens the encoder `name` with the settings from `configure` and `options`.
    static func open(
        _ name: String, options: [(String, String)], configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(SynthesisError) -> Encoder {
        // The name outlives the call; a codec is static.
        guard let codec = unsafe avcodec_find_encoder_by_name(name) else { throw .encoderMissing(name: name) }
        guard let context = unsafe avcodec_alloc_context3(codec) else {
            throw outOfMemory("avcodec_alloc_context3")
        }
        // From here on, deinit frees the context, even if an error is thrown.
        let encoder = unsafe Encoder(owning: context)
        unsafe context.pointee.thread_count = 1
        unsafe context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        unsafe configure(context)
        var options = try LibAVOptions(options)
        try unsafe options.pass(to: "avcodec_open2") { dictionary in
            unsafe avcodec_open2(context, codec, dictionary)
        }
        return encoder
    }

    deinit {
        var owned: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&owned)
    }

    /// Submits one frame.
    mutating func send(_ frame: borrowing MediaFrame) throws(SynthesisError) {
        // Both pointers are owned by values that outlive the call.
        try unsafe libAV("avcodec_send_frame", avcodec_send_frame(context, frame.pointer))
    }

    /// Receives the next packet, or returns false if the encoder needs another frame first.
    mutating func receive(into packet: borrowing EncodedPacket) throws(SynthesisError) -> Bool {
        // As in `send`; the call releases the previous content of the packet.
        let code = unsafe avcodec_receive_packet(context, packet.pointer)
        if code == dtvr_averror_eagain { return false }
        try libAV("avcodec_receive_packet", code)
        return true
    }
}
