import CDTVRLibAV

/// The encoded audio: a test tone encoded with libavcodec's AAC encoder, mono at 48 kHz.
@safe struct SoundSource: ~Copyable {
    /// The bit rate of the encoded audio, in bit/s.
    static let bitrate = 28_000

    /// The encoder, whose parameters are copied to a muxer.
    var encoder: Encoder
    private let frame: MediaFrame
    private let tone: TestTone
    private var fedFrames = 0

    init(tagInterval: Int, hasGlobalHeader: Bool) throws(SynthesisError) {
        let encoder = try unsafe Encoder.open("aac", options: []) { context in
            // The context is owned by this encoder and not yet open.
            unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
            unsafe context.pointee.sample_rate = Int32(SynthesisClock.sampleRate)
            unsafe context.pointee.bit_rate = Int64(Self.bitrate)
            unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(SynthesisClock.sampleRate))
            unsafe av_channel_layout_default(&context.pointee.ch_layout, 1)
            if hasGlobalHeader { unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        }
        let frame = try unsafe MediaFrame.make { frame in
            // The frame is owned by this source and has no buffers yet.
            unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
            unsafe frame.pointee.sample_rate = Int32(SynthesisClock.sampleRate)
            unsafe frame.pointee.nb_samples = Int32(SynthesisClock.samplesPerAudioFrame)
            unsafe av_channel_layout_default(&frame.pointee.ch_layout, 1)
        }
        self.encoder = encoder
        self.frame = frame
        tone = TestTone(tagInterval: tagInterval)
    }

    /// Encodes the next frame.
    ///
    /// The first packet of the encoder decodes to the 1024 samples before its first input sample. The input is
    /// therefore one frame ahead, so that every packet contains the audio of its own time.
    mutating func next(into packet: borrowing EncodedPacket) throws(SynthesisError) {
        for _ in 0..<4 {
            if try encoder.receive(into: packet) { return }
            try frame.makeWritable()
            fedFrames += 1
            let first = fedFrames * SynthesisClock.samplesPerAudioFrame
            // One plane of `nb_samples` four-byte floats, which libavutil aligns for vector instructions.
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
        throw .unexpectedOutput(rule: "the AAC encoder outputs a packet for every frame")
    }
}
