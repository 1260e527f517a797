import CDTVRLibAV
import Glibc

/// The encoded audio of a rendition, with libavcodec's AAC encoder, mono at 48 kHz.
///
/// It is a soft tone with slowly varying volume, and a beep whenever a tag closes.
@safe struct SoundSource: ~Copyable {
    /// The period of the volume in samples: four seconds.
    static let swellPeriod = 192_000
    /// The bit rate of the encoded audio, in bit/s.
    static let bitrate = 28_000

    /// The encoder, whose parameters are copied to a muxer.
    var encoder: Encoder
    private let tone: [Float]
    private let beep: [Float]
    private let beepPeriod: Int
    private var fedFrames = 0

    init(tagInterval: Int, hasGlobalHeader: Bool) throws(SynthesisError) {
        let encoder = try unsafe Encoder.open("aac", options: [("aac_coder", "fast")]) { context, frame in
            // The context and the frame are owned by this encoder; neither is open or has buffers yet.
            unsafe context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
            unsafe context.pointee.sample_rate = Int32(SynthesisSettings.sampleRate)
            unsafe context.pointee.bit_rate = Int64(Self.bitrate)
            unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(SynthesisSettings.sampleRate))
            unsafe dtvr_av_channel_layout_default(&context.pointee.ch_layout, 1)
            if hasGlobalHeader { unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
            unsafe frame.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
            unsafe frame.pointee.sample_rate = Int32(SynthesisSettings.sampleRate)
            unsafe frame.pointee.nb_samples = Int32(SynthesisSettings.samplesPerAudioFrame)
            unsafe dtvr_av_channel_layout_default(&frame.pointee.ch_layout, 1)
        }
        self.encoder = encoder
        // The tables hold whole periods, so that they can be repeated: 300 Hz and 1000 Hz at 48 kHz.
        tone = Self.wave(period: 160)
        beep = Self.wave(period: 48)
        beepPeriod = tagInterval * SynthesisSettings.sampleRate
    }

    /// Encodes the next frame.
    ///
    /// The first packet of the encoder decodes to the 1024 samples before its first input sample. The input is
    /// therefore one frame ahead, so that every packet contains the audio of that time.
    mutating func next(into packet: EncodedPacket) throws(SynthesisError) {
        for _ in 0..<4 {
            if try encoder.receive(into: packet) { return }
            try encoder.makeFrameWritable()
            fedFrames += 1
            let first = fedFrames * SynthesisSettings.samplesPerAudioFrame
            // One plane of `nb_samples` four-byte floats, which libavutil aligns for vector instructions.
            let samples = unsafe UnsafeMutableRawPointer(encoder.frame.pointee.data.0)
            guard let samples = unsafe samples?.assumingMemoryBound(to: Float.self) else {
                throw outOfMemory("av_frame_get_buffer")
            }
            unsafe write(from: first, to: samples, count: SynthesisSettings.samplesPerAudioFrame)
            unsafe encoder.frame.pointee.pts = Int64(first)
            try encoder.sendFrame()
        }
        throw .unexpectedOutput(rule: "the AAC encoder outputs a packet for every frame")
    }

    /// Writes `count` samples, each from -1 to 1, starting with the sample at `first` from the start of the stream.
    private func write(from first: Int, to samples: UnsafeMutablePointer<Float>, count: Int) {
        let (tone, beep) = (tone.span, beep.span)
        for offset in 0..<count {
            let index = first + offset
            // A triangle wave of four seconds, between 5 % and 10 % of full scale.
            let place = index % Self.swellPeriod
            let swell = Float(place < 96_000 ? 96_000 - place : place - 96_000) / 96_000
            var value = tone[index % tone.count] * (0.05 + 0.05 * swell)
            let sinceTag = index % beepPeriod
            if index >= beepPeriod, sinceTag < 9600 { value += beep[sinceTag % beep.count] * 0.2 }
            // The caller lends `count` samples.
            unsafe samples[offset] = value
        }
    }

    private static func wave(period: Int) -> [Float] {
        (0..<period).map { Float(sin(2 * Double.pi * Double($0) / Double(period))) }
    }
}
