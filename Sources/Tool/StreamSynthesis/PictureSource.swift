import CDTVRLibAV

/// The encoded pictures of a rendition: a test pattern encoded with libx264.
@safe struct PictureSource: ~Copyable {
    /// The encoder, whose parameters are copied to a muxer.
    var encoder: Encoder
    private let frame: MediaFrame
    private var pattern: TestPattern

    init(
        _ video: SynthesisSettings.Video, tagInterval: Int, hasGlobalHeader: Bool
    ) throws(SynthesisError) {
        let (width, height) = (Int32(video.width), Int32(video.height))
        let rate = Int64(video.maximumBitrate)
        var options = [
            ("preset", "ultrafast"),
            // Disables buffering, so that each frame produces a packet immediately.
            ("tune", "zerolatency"), ("profile", "main"), ("coder", "cabac"), ("forced-idr", "1"),
            ("aud", "1"),
            ("x264-params", "scenecut=0:keyint=infinite:bframes=0"),
        ]
        if video.isConstantBitrate {
            // Filler NAL units pad the pattern to the constant bit rate (ISO/IEC 14496-10, annex C).
            if !hasGlobalHeader { options.append(("nal-hrd", "cbr")) }
        } else {
            options.append(("crf", "48"))
        }
        let encoder = try unsafe Encoder.open("libx264", options: options) { context in
            // The context is owned by this encoder and not yet open.
            unsafe context.pointee.width = width
            unsafe context.pointee.height = height
            unsafe context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
            unsafe context.pointee.time_base = AVRational(num: 1, den: 25)
            unsafe context.pointee.framerate = AVRational(num: 25, den: 1)
            unsafe context.pointee.level = Int32(Self.level(video))
            unsafe context.pointee.rc_max_rate = rate
            unsafe context.pointee.rc_buffer_size = Int32(rate)
            if video.isConstantBitrate {
                unsafe context.pointee.bit_rate = rate
                unsafe context.pointee.rc_min_rate = rate
            }
            if hasGlobalHeader { unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        }
        let frame = try unsafe MediaFrame.make { frame in
            // The frame is owned by this source and has no buffers yet.
            unsafe frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
            unsafe frame.pointee.width = width
            unsafe frame.pointee.height = height
        }
        self.encoder = encoder
        self.frame = frame
        pattern = TestPattern(width: video.width, height: video.height, tagInterval: tagInterval)
    }

    /// Draws and encodes picture `index`, as an IDR picture at the start of a segment.
    mutating func picture(
        _ index: Int, isFirstOfSegment: Bool, into packet: borrowing EncodedPacket
    ) throws(SynthesisError) {
        try frame.makeWritable()
        pattern.draw(index, on: frame)
        // The frame is owned by this source.
        unsafe frame.pointer.pointee.pts = Int64(index)
        unsafe frame.pointer.pointee.pict_type =
            isFirstOfSegment ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        try encoder.send(frame)
        guard try encoder.receive(into: packet) else {
            throw .unexpectedOutput(rule: "libx264 delays no picture with zerolatency")
        }
    }

    /// Returns the H.264 level times ten for the size and bit rate (ISO/IEC 14496-10, table A-1).
    static func level(_ video: SynthesisSettings.Video) -> Int {
        let macroblocks = ((video.width + 15) / 16) * ((video.height + 15) / 16)
        switch (macroblocks, video.maximumBitrate) {
        case (...1620, ...10_000_000): return 30
        case (...3600, ...14_000_000): return 31
        case (...8192, ...20_000_000): return 40
        default: return 51
        }
    }
}
