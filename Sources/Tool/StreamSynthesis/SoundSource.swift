import CDTVRLibAV

/// The coded sound: test tone, then libavcodec's own AAC encoder; mono at 48 kHz.
@safe struct SoundSource: ~Copyable {
    /// The bits a second of the coded sound.
    static let bitrate = 28_000

    /// The encoder, whose parameters a muxer copies.
    var encoder: Encoder
    private let frame: MediaFrame
    private let tone: TestTone
    private var fedFrames = 0

    init(tagInterval: Int, hasGlobalHeader: Bool) throws(SynthesisError) {
        let encoder = try unsafe Encoder.open("aac", options: []) { context in
            // The context is this encoder's own and not yet open.
            unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
            unsafe context.pointee.sample_rate = Int32(SynthesisClock.sampleRate)
            unsafe context.pointee.bit_rate = Int64(Self.bitrate)
            unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(SynthesisClock.sampleRate))
            unsafe av_channel_layout_default(&context.pointee.ch_layout, 1)
            if hasGlobalHeader { unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        }
        let frame = try unsafe MediaFrame.make { frame in
            // The frame is this source's own and has no buffers yet.
            unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
            unsafe frame.pointee.sample_rate = Int32(SynthesisClock.sampleRate)
            unsafe frame.pointee.nb_samples = Int32(SynthesisClock.samplesPerAudioFrame)
            unsafe av_channel_layout_default(&frame.pointee.ch_layout, 1)
        }
        self.encoder = encoder
        self.frame = frame
        tone = TestTone(tagInterval: tagInterval)
    }

    /// The next coded frame.
    ///
    /// The encoder's first packet decodes to 1024 samples before the first it was fed. Sound is therefore fed
    /// that much ahead, and every packet holds the sound of its own time.
    mutating func next(into packet: borrowing EncodedPacket) throws(SynthesisError) {
        for _ in 0..<4 {
            if try encoder.receive(into: packet) { return }
            try frame.makeWritable()
            fedFrames += 1
            let first = fedFrames * SynthesisClock.samplesPerAudioFrame
            // One plane of `nb_samples` floats, 4 bytes each, aligned for vectors by libavutil.
            let samples = unsafe UnsafeMutableRawPointer(frame.pointer.pointee.data.0)
            guard let samples = unsafe samples?.assumingMemoryBound(to: Float.self) else {
                throw outOfMemory("av_frame_get_buffer")
            }
            for index in 0..<SynthesisClock.samplesPerAudioFrame {
                unsafe samples[index] = tone.sample(first + index)
            }
            unsafe frame.pointer.pointee.pts = Int64(first)
            try encoder.send(frame)
        }
        throw .unexpectedOutput(rule: "the AAC encoder gives a packet for every frame")
    }
}
