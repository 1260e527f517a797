/// The encoded units of a repeating part of a rendition, pictures or audio frames, so that each is encoded only once.
///
/// The part begins at a unit and has a length, both chosen so that the unit `length` later has the same content and the
/// same neighbors. A stream that is no longer than the part never repeats.
struct EncodedLoop {
    private let start: Int
    private let length: Int
    private var kept: [EncodedPacket] = []

    /// Creates a loop of `length` units that begins at the unit `start`.
    init(start: Int, length: Int) {
        self.start = start
        self.length = length
    }

    /// Makes a packet refer to the kept unit with the content of a unit, or returns false if there is none yet.
    func reuse(_ index: Int, in packet: EncodedPacket) throws(SynthesisError) -> Bool {
        guard index >= start + length, (index - start) % length < kept.count else { return false }
        try packet.refer(to: kept[(index - start) % length])
        return true
    }

    /// Keeps the encoded unit with an index; the indices must be consecutive.
    mutating func keep(_ index: Int, in packet: EncodedPacket) throws(SynthesisError) {
        if index >= start, kept.count < length { kept.append(try packet.reference()) }
    }

    /// Returns the least common multiple of positive numbers.
    static func leastCommonMultiple(_ numbers: Int...) -> Int {
        numbers.reduce(1) { product, number in
            var (a, b) = (product, number)
            while b > 0 { (a, b) = (b, a % b) }
            return product / a * number
        }
    }
}

extension EncodedLoop {
    /// The maximum length of a loop, in units.
    private static let maximumLength = 10_000

    /// Returns the loop of the pictures of a stream with segments of a duration, in ticks.
    ///
    /// Returns nil if the encoder depends on the time, or the segments do not consist of whole pictures.
    static func pictures(
        of video: SynthesisSettings.Video, tagInterval: Int, segmentTicks: Int64
    ) -> EncodedLoop? {
        let (count, rest) = segmentTicks.quotientAndRemainder(dividingBy: SynthesisSettings.pictureTicks)
        guard !video.isConstantBitrate, rest == 0, count > 0 else { return nil }
        let tagPictures = tagInterval * 25
        let length = leastCommonMultiple(Int(count), tagPictures, PictureSource.blockPeriod)
        // The first picture of the loop is an IDR picture, and the first tag has passed.
        let start = (tagPictures + Int(count) - 1) / Int(count) * Int(count)
        return length <= maximumLength ? EncodedLoop(start: start, length: length) : nil
    }

    /// Returns the loop of the audio frames of a stream.
    static func sound(tagInterval: Int) -> EncodedLoop? {
        let unit = SynthesisSettings.samplesPerAudioFrame
        let tagSamples = tagInterval * SynthesisSettings.sampleRate
        let length = leastCommonMultiple(tagSamples, SoundSource.swellPeriod, unit) / unit
        // One frame more, because a packet also depends on the frame before it.
        let start = (tagSamples + unit - 1) / unit + 1
        return length <= maximumLength ? EncodedLoop(start: start, length: length) : nil
    }
}
