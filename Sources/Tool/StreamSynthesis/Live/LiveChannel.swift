import ByteReading
import CDTVRCrypto

/// A live channel: the times, faults, tags and bytes of its segments, computed from the segment index without stored
/// state.
///
/// Times are milliseconds from the station's start. The first segments precede it, so that the window is full from the
/// start.
struct LiveChannel {
    let settings: LiveSettings
    /// The script events of this channel.
    let events: [LiveScript.Event]
    /// The start of the first segment.
    let origin: Int64
    /// The duration of a segment.
    let length: Int64
    private let seed: UInt64
    private let schedule: TagSchedule
    /// The start of the station, in Unix milliseconds.
    private let startTime: Int64

    /// The second day of 1970, because a tag's offset must not precede the first broadcast day.
    private static let earliestTime: Int64 = 86_400

    /// Creates a channel, numbered from 1; segment boundaries are staggered across channels.
    init(_ settings: LiveSettings, number: Int, events: [LiveScript.Event], startTime: Int64) {
        self.settings = settings
        self.events = events
        self.startTime = startTime
        length = settings.segmentMilliseconds
        let phase = length * Int64(number - 1) / Int64(settings.channelCount)
        origin = -length * Int64(settings.windowSegmentCount) - phase
        var source = SplitMix64(seed: settings.seed, stream: 5, index: UInt64(number))
        seed = source.next()
        var stream = SynthesisSettings()
        stream.seed = seed
        stream.startTime = UInt32(clamping: max(Self.earliestTime, (startTime + origin) / 1_000))
        let ownStart = Self.randomTime(from: &source)
        stream.startPTS = settings.startPTS ?? ownStart
        stream.firstSequence = UInt16(truncatingIfNeeded: source.next())
        schedule = TagSchedule(stream)
    }

    /// Returns a random timestamp that corresponds to a whole number of samples.
    private static func randomTime(from source: inout SplitMix64) -> UInt64 {
        source.next() % (1 << 33) / 15 * 15
    }

    /// Returns the start of a segment in Unix milliseconds.
    func wallTime(of segment: Int64) -> Int64 { startTime + start(of: segment) }

    /// Returns the start of a segment.
    func start(of segment: Int64) -> Int64 { origin + segment * length }

    /// Returns the first segment that begins at or after `time`, at least 0.
    func firstSegment(startingAt time: Int64) -> Int64 { max(0, (time - origin + length - 1) / length) }

    /// Returns the last complete segment at `time`, which must not be before the station's start.
    func lastSegment(at time: Int64) -> Int64 { (time - origin) / length - 1 }

    // MARK: Playlists

    /// Returns the time that the playlist sent at `time` represents.
    func playlistTime(at time: Int64) -> Int64 {
        for event in events {
            guard let began = event.activeStart(at: time) else { continue }
            switch event.fault {
            case .stalledPlaylist: return began
            // The playlist never goes back when a delay begins.
            case .latePlaylist(let delay): return max(began, time - delay)
            default: break
            }
        }
        return time
    }

    /// Returns the segments listed in the playlist of `time`.
    func window(at time: Int64) -> ClosedRange<Int64> {
        let last = lastSegment(at: time)
        let oldest = max(0, last - Int64(settings.windowSegmentCount) + 1)
        return max(oldest, firstNumbered(for: last).segment)...last
    }

    /// Returns the media sequence number of a segment.
    func mediaSequence(of segment: Int64) -> Int64 {
        let first = firstNumbered(for: segment)
        return first.number + segment - first.segment
    }

    /// Returns the first segment of the numbering that applies to `segment`, with its number.
    private func firstNumbered(for segment: Int64) -> (segment: Int64, number: Int64) {
        let begin = start(of: segment)
        let resets = events.filter { $0.fault == .sequenceReset }.compactMap { $0.lastStart(at: begin) }
        guard let reset = resets.max() else { return (0, Int64(settings.firstMediaSequence)) }
        return (firstSegment(startingAt: reset), 0)
    }

    // MARK: Breaks

    /// An inserted break.
    struct Break: Hashable {
        let marking: LiveFault.BreakMarking
        /// The segments of the break.
        let segments: Range<Int64>
    }

    /// Returns the break to which a segment belongs, or nil for none.
    func adBreak(at segment: Int64) -> Break? {
        let begin = start(of: segment)
        for event in events {
            guard case .adBreak(let marking) = event.fault, let began = event.activeStart(at: begin),
                let lasts = event.length
            else { continue }
            let segments = firstSegment(startingAt: began)..<firstSegment(startingAt: began + lasts)
            return Break(marking: marking, segments: segments)
        }
        return nil
    }

    /// Returns whether a segment follows a discontinuity.
    func isDiscontinuous(_ segment: Int64) -> Bool {
        segment > 0 && adBreak(at: segment) != adBreak(at: segment - 1)
    }

    /// Whether the channel ever has a discontinuity.
    var hasBreaks: Bool {
        events.contains { if case .adBreak = $0.fault { true } else { false } }
    }

    /// Returns the number of discontinuities before a playlist that starts with `segment`.
    ///
    /// The result is nil for a channel without discontinuities.
    func discontinuitySequence(before segment: Int64) -> Int? {
        guard hasBreaks else { return nil }
        let first = firstNumbered(for: segment).segment
        var edges: Set<Int64> = []
        for event in events {
            guard case .adBreak = event.fault, let lasts = event.length else { continue }
            for index in 0..<event.startCount(at: start(of: segment)) {
                let began = event.start + index * (event.period ?? 0)
                edges.insert(firstSegment(startingAt: began))
                edges.insert(firstSegment(startingAt: began + lasts))
            }
        }
        return edges.count { $0 > first && $0 < segment && isDiscontinuous($0) }
    }

    // MARK: Segments

    /// Returns a segment, encrypted if the script requires it.
    func segment(
        _ segment: Int64, of rendition: SynthesisSettings.Rendition, from template: SegmentTemplate
    ) throws(SynthesisError) -> [UInt8] {
        let ticks = settings.segmentTicks
        let place = segment * ticks
        var time = Int64(schedule.settings.startPTS) + place
        if let adBreak = adBreak(at: segment) {
            let first = adBreak.segments.lowerBound
            // The timestamps of a break are unrelated to those of the channel.
            var source = SplitMix64(seed: seed, stream: 6, index: UInt64(first))
            time = Int64(Self.randomTime(from: &source)) + (segment - first) * ticks
        }
        let bytes = template.segment(
            segment, at: time, tags: rendition.carriesTags ? tags(in: segment) : [],
            tagCount: schedule.count(before: place))
        guard let start = keyStart(at: segment) else { return bytes }
        return try Self.encrypt(bytes, key: key(start), vector: Self.vector(start))
    }

    /// Returns the tags of a segment in time order, as they appear in renditions with tags.
    func tags(in segment: Int64) -> [ScheduledTag] {
        guard adBreak(at: segment) == nil else { return [] }
        let place = segment * settings.segmentTicks
        return schedule.tags(in: place..<place + settings.segmentTicks).filter { tag in
            let closing = origin + tag.moment / 90
            return !events.contains { $0.fault == .noTags && $0.activeStart(at: closing) != nil }
        }
    }

    // MARK: Keys

    /// Returns the start of validity of the key that encrypts a segment, or nil if the segment is not encrypted.
    func keyStart(at segment: Int64) -> Int64? {
        let begin = start(of: segment)
        for event in events {
            guard case .changedKey(let period) = event.fault, let began = event.activeStart(at: begin) else {
                continue
            }
            let lasts = period ?? length
            return began + (begin - began) / lasts * lasts
        }
        return nil
    }

    /// Returns the 16-byte key that is valid from `start`.
    func key(_ start: Int64) -> [UInt8] {
        var source = SplitMix64(seed: seed, stream: 7, index: UInt64(bitPattern: start))
        return source.bytes(16)
    }

    /// Returns the initialization vector of the key that is valid from `start`.
    static func vector(_ start: Int64) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + UInt64(bitPattern: start).bigEndianBytes
    }

    /// Encrypts with AES-128 in CBC mode with PKCS7 padding, as EXT-X-KEY requires (RFC 8216, section 4.3.2.4).
    ///
    /// The key and the vector must be 16 bytes each.
    static func encrypt(
        _ bytes: [UInt8], key: [UInt8], vector: [UInt8]
    ) throws(SynthesisError) -> [UInt8] {
        precondition(key.count == 16 && vector.count == 16, "a key and a vector have 16 bytes")
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw encryptionFailure }
        // The context is used only in this call.
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var encrypted = [UInt8](repeating: 0, count: bytes.count + 16)
        var count: Int32 = 0
        var lastCount: Int32 = 0
        // The output has room for one more block than the input, the maximum length of the padding.
        let isDone = unsafe encrypted.withUnsafeMutableBufferPointer { output in
            unsafe EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1
                && EVP_EncryptUpdate(context, output.baseAddress, &count, bytes, Int32(bytes.count)) == 1
                && EVP_EncryptFinal_ex(context, output.baseAddress.map { unsafe $0 + Int(count) }, &lastCount)
                    == 1
        }
        guard isDone else { throw encryptionFailure }
        return Array(encrypted.prefix(Int(count + lastCount)))
    }

    private static var encryptionFailure: SynthesisError {
        .library(function: "EVP_EncryptInit_ex", code: 0, message: "libcrypto cannot encrypt with AES-128")
    }
}
