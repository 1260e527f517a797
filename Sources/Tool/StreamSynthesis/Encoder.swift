import CDTVRLibAV

/// An open libavcodec encoder with the frame that it encodes, which owns an `AVCodecContext` and an `AVFrame`.
@safe struct Encoder: ~Copyable {
    // Owned and never nil: allocated by `open`, freed once by deinit.
    let context: UnsafeMutablePointer<AVCodecContext>
    let frame: UnsafeMutablePointer<AVFrame>

    private init(
        owning context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>
    ) {
        unsafe self.context = unsafe context
        unsafe self.frame = unsafe frame
    }

    /// Opens the encoder `name` with `options` and the settings from `configure`, which include the frame's format.
    static func open(
        _ name: String, options: [(String, String)],
        configure: (UnsafeMutablePointer<AVCodecContext>, UnsafeMutablePointer<AVFrame>) -> Void
    ) throws(SynthesisError) -> Encoder {
        // The name outlives the call; a codec is static.
        guard let codec = unsafe dtvr_avcodec_find_encoder_by_name(name) else {
            throw .encoderMissing(name: name)
        }
        guard let frame = unsafe dtvr_av_frame_alloc() else { throw outOfMemory("av_frame_alloc") }
        guard let context = unsafe dtvr_avcodec_alloc_context3(codec) else {
            var owned: UnsafeMutablePointer<AVFrame>? = unsafe frame
            unsafe dtvr_av_frame_free(&owned)
            throw outOfMemory("avcodec_alloc_context3")
        }
        // From here on, deinit frees both, even if an error is thrown.
        let encoder = unsafe Encoder(owning: context, frame)
        unsafe context.pointee.thread_count = 1
        unsafe context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        unsafe configure(context, frame)
        try unsafe libAV("avcodec_open2", options: options) { dictionary in
            unsafe dtvr_avcodec_open2(context, codec, dictionary)
        }
        try unsafe libAV("av_frame_get_buffer", dtvr_av_frame_get_buffer(frame, 0))
        return encoder
    }

    deinit {
        var ownedContext: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe dtvr_avcodec_free_context(&ownedContext)
        var ownedFrame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe dtvr_av_frame_free(&ownedFrame)
    }

    /// Ensures exclusive access to the frame's buffers, whose content is preserved.
    func makeFrameWritable() throws(SynthesisError) {
        // The frame is owned by this value.
        try unsafe libAV("av_frame_make_writable", dtvr_av_frame_make_writable(frame))
    }

    /// Submits the frame.
    mutating func sendFrame() throws(SynthesisError) {
        // Both pointers are owned by this value.
        try unsafe libAV("avcodec_send_frame", dtvr_avcodec_send_frame(context, frame))
    }

    /// Receives the next packet, or returns false if the encoder needs another frame first.
    mutating func receive(into packet: EncodedPacket) throws(SynthesisError) -> Bool {
        // Both pointers are owned by values that outlive the call, which releases the previous content of the packet.
        let code = unsafe dtvr_avcodec_receive_packet(context, packet.pointer)
        if code == dtvr_averror_eagain { return false }
        try libAV("avcodec_receive_packet", code)
        return true
    }
}
