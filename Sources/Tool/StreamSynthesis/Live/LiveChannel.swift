import ByteReading

/// A live channel, with its timeline, tags, timestamps and segments.
struct LiveChannel {
    let settings: LiveSettings
    let timeline: LiveTimeline
    private let seed: UInt64
    private let tags: LiveTagSequence
    /// The start of the station, in Unix milliseconds.
    private let startTime: Int64

    /// The second day of 1970, because a tag's offset must not precede the first broadcast day.
    private static let earliestTime: Int64 = 86_400

    /// Creates a channel; `number` is counted from 1.
    init(_ settings: LiveSettings, number: Int, events: [LiveScript.Event], startTime: Int64) {
        self.settings = settings
        self.startTime = startTime
        timeline = LiveTimeline(settings, channel: number, events: events)
        var source = SplitMix64(seed: settings.seed, stream: 5, index: UInt64(number))
        seed = source.next()
        let ownStart = Int64(source.next() % (1 << 33)) / 15 * 15
        tags = LiveTagSequence(
            seed: seed,
            startTime: UInt32(clamping: max(Self.earliestTime, (startTime + timeline.origin) / 1_000)),
            startPTS: settings.startPTS.map { Int64($0) } ?? ownStart,
            firstSequence: UInt16(truncatingIfNeeded: source.next()))
    }

    /// Returns the start of a segment in Unix milliseconds.
    func wallTime(of segment: Int64) -> Int64 { startTime + timeline.start(of: segment) }

    /// Returns a segment, encrypted if the script requires it.
    func segment(
        _ segment: Int64, of rendition: LiveSettings.Rendition, from template: any SegmentTemplate
    ) throws(SynthesisError) -> [UInt8] {
        let ticks = settings.segmentTicks
        let place = segment * ticks
        var stamp = SegmentStamp(
            index: segment, time: tags.startPTS + place, tagCount: tags.count(before: place))
        if let adBreak = timeline.adBreak(at: segment) {
            let first = adBreak.segments.lowerBound
            stamp.time = breakPTS(startingWith: first) + (segment - first) * ticks
        }
        let bytes = template.segment(stamp, tags: rendition.carriesTags ? tagEntries(in: segment) : [])
        guard let start = timeline.keyStart(at: segment) else { return bytes }
        return try SegmentEncryption.encrypt(bytes, key: key(start), vector: Self.vector(start))
    }

    /// Returns the tags of a segment in time order, as they appear in renditions with tags.
    func tagEntries(in segment: Int64) -> [TagSchedule.Entry] {
        guard timeline.adBreak(at: segment) == nil else { return [] }
        let place = segment * settings.segmentTicks
        return tags.tags(in: place..<place + settings.segmentTicks).filter {
            !timeline.hasNoTags(at: timeline.origin + $0.moment / 90)
        }.map(\.entry)
    }

    /// Returns the first timestamp of a break, which is unrelated to those of the channel.
    private func breakPTS(startingWith segment: Int64) -> Int64 {
        var source = SplitMix64(seed: seed, stream: 6, index: UInt64(segment))
        return Int64(source.next() % (1 << 33)) / 15 * 15
    }

    // MARK: Keys

    /// Returns the 16-byte key that is valid from `start`.
    func key(_ start: Int64) -> [UInt8] {
        var source = SplitMix64(seed: seed, stream: 7, index: UInt64(bitPattern: start))
        return source.bytes(16)
    }

    /// Returns the initialization vector of the key that is valid from `start`.
    static func vector(_ start: Int64) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + UInt64(bitPattern: start).bigEndianBytes
    }
}
