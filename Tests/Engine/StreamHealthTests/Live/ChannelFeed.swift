import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth

/// A live channel in virtual time: segments with the tags of an inserter, and the health that results from them.
struct ChannelFeed {
    var health: ChannelHealth
    /// The findings and state changes so far.
    var events: [ChannelEvent] = []
    /// The alert changes so far.
    var alertChanges: [Episode] = []
    /// Called half a second before the end of each segment.
    var beforeSegment: (inout ChannelHealth, SteadyTime) -> Void = { _, _ in }
    var segmentLength = 6.0
    /// The delay between the end of a segment and its reading, in seconds.
    var latency = 3.0
    /// The number of seconds of the channel played so far.
    private(set) var position = 0.0
    var sequence: UInt16 = 100
    /// The offset of the PTS from the position, in seconds.
    var clockOffset = 0.0
    var hasInfo = true
    /// Whether the last tag of each segment is reported with the next segment.
    var holdsLastTag = false
    /// Whether segments cannot be read.
    var isUnread = false
    /// Changes the container facts of each segment.
    var facts: (inout CarriageFacts) -> Void = { _ in }
    /// Changes each tag before it is sent.
    var change: (inout TagSample) -> Void = { _ in }
    private var segmentNumber: UInt64 = 0
    private var isAfterDiscontinuity = false
    private var heldTag: TagOccurrence?

    /// The transmission of the inserter's tags.
    enum Tags {
        /// The tags are in the stream.
        case sent
        /// The inserter makes tags, but other content is sent.
        case replaced
        /// The inserter hears no watermark and makes no tags.
        case unheard
    }

    /// Creates a channel; its alerts are cleared without a hold, unless `holdsAlerts` is set.
    init(
        policy: HealthPolicy = HealthPolicy(), openAlerts: [Episode] = [], after seconds: Double = 0,
        clearDelay: Double = 10, holdsAlerts: Bool = false,
        _ set: (inout ChannelHealthSettings) -> Void = { _ in }
    ) {
        var settings = ChannelHealthSettings()
        set(&settings)
        var policy = policy
        policy[.alertClear] = clearDelay
        if !holdsAlerts {
            policy[.alertHold] = 0
            policy[.alertMaximumHold] = 0
        }
        position = seconds
        let start = SteadyTime(seconds: Double(TagSample.noon) + seconds)
        health = ChannelHealth(
            policy: policy, settings: settings, open: openAlerts, at: ClockMoment(steady: start))
    }

    /// The current virtual time.
    var now: SteadyTime { SteadyTime(seconds: Double(TagSample.noon) + position + latency) }

    var findings: [CheckID] {
        events.compactMap { if case .finding(let check, _) = $0 { check } else { nil } }
    }
    var alerts: [String] { alertChanges.map(\.text) }
    var openAlerts: [Episode] { health.openAlerts }
    var states: [ChannelState] {
        events.compactMap { if case .state(_, let state, _) = $0 { state } else { nil } }
    }

    /// Discards the events and alert changes so far.
    mutating func forget() {
        events = []
        alertChanges = []
    }

    /// Removes segments from the playlist before they are listed; their tags are lost.
    mutating func lose(_ seconds: Double) {
        for second in 1...Int(seconds) { perform { $0.advance(to: $1 + Double(second)) } }
        segmentNumber += UInt64((seconds / segmentLength).rounded())
        skip(seconds)
    }

    /// Makes no segments for some time; the next one follows a discontinuity, and the tags are lost.
    mutating func stop(_ seconds: Double) {
        for second in 1...Int(seconds) { perform { $0.advance(to: $1 + Double(second)) } }
        splice(by: 0)
        skip(seconds)
    }

    /// Advances the time and the inserter's sequence without a segment.
    private mutating func skip(_ seconds: Double) {
        let indices = Int(position / 10)..<Int((position + seconds) / 10)
        for index in indices { sequence &+= hasInfo && index % 30 == 0 ? 2 : 1 }
        position += seconds
    }

    /// Starts other content: the next segment follows a discontinuity, and the PTS jumps.
    mutating func splice(by seconds: Double = 1_000) {
        isAfterDiscontinuity = true
        clockOffset += seconds
    }

    /// Plays segments for at least `seconds` seconds.
    mutating func play(
        _ seconds: Double, _ tags: Tags = .sent, isInBreak: Bool = false, advances: Bool = true
    ) throws {
        let end = position + seconds
        while position < end - 0.001 {
            for second in 1..<Int(segmentLength) where advances {
                perform { $0.advance(to: $1 + Double(second)) }
            }
            let (beforeSegment, length) = (beforeSegment, segmentLength)
            perform { beforeSegment(&$0, $1 + length - 0.5) }
            try playSegment(tags, isInBreak: isInBreak)
        }
    }

    /// Advances the time without a segment.
    mutating func wait(_ seconds: Double) {
        for _ in 0..<Int(seconds) {
            position += 1
            perform { $0.advance(to: $1) }
        }
    }

    /// Lets time pass while the channel waits for its start.
    mutating func hold(_ seconds: Double) {
        position += seconds
        perform { $0.hold(at: $1) }
    }

    /// Calls `body` with the health and the current time, and collects the events and the alerts.
    mutating func perform(_ body: (inout ChannelHealth, SteadyTime) -> Void) {
        body(&health, now)
        let (events, alerts) = health.drain()
        self.events += events
        alertChanges += alerts
    }

    private mutating func playSegment(_ mode: Tags, isInBreak: Bool) throws {
        let start = position
        let end = start + segmentLength
        var samples: [TagSample] = []
        var moment = (start / 10).rounded(.down) * 10 + 10
        while moment <= end {
            if mode != .unheard {
                let index = Int(moment / 10) - 1
                if hasInfo, index % 30 == 0 {
                    samples.append(.info(sequence: next(), position: moment - 0.5))
                }
                samples.append(data(index, position: moment))
            }
            moment += 10
        }
        if mode == .replaced { samples = [] }
        position = end
        let segment = observed(from: start, isInBreak: isInBreak)
        var tags = try samples.map { sample in
            var sample = sample
            change(&sample)
            return try occurrence(of: sample, in: segment)
        }
        if let heldTag { tags.insert(heldTag, at: 0) }
        heldTag = holdsLastTag ? tags.popLast() : nil
        segmentNumber += 1
        isAfterDiscontinuity = false
        perform { health, now in
            health.observe(
                .changed(
                    PlaylistEdge(
                        targetDuration: segment.duration, endDate: WallTime(unixSeconds: now.seconds - 3))),
                at: now)
            health.observe(
                SegmentFetch(name: segment.name, duration: segment.duration, seconds: 0.5), at: now)
            health.observe(
                SegmentObservation(rendition: RenditionID(0), segment: segment, tags: tags), at: now)
        }
    }

    private mutating func next() -> UInt16 {
        defer { sequence &+= 1 }
        return sequence
    }

    private mutating func data(_ index: Int, position: Double) -> TagSample {
        // A content id applies to one day, which begins at 3 a.m.
        let (day, place) = (index + 3_240).quotientAndRemainder(dividingBy: 8_640)
        return TagSample.data(index).with {
            $0.sequence = next()
            $0.position = position
            $0.pcCID[0] = UInt8(truncatingIfNeeded: day)
            $0.fdCID[0] = UInt8(truncatingIfNeeded: day)
            $0.pcOffset = 1_000 + place * 10
            $0.fdOffset = 2_000 + place * 10
        }
    }

    private func timestamp(_ seconds: Double) -> MediaTimestamp {
        let ticks = Int64(((seconds + clockOffset) * 90_000).rounded()) & ((1 << 33) - 1)
        return MediaTimestamp(pts: UInt64(ticks))
    }

    private func observed(from start: Double, isInBreak: Bool) -> ObservedSegment {
        var facts = CarriageFacts()
        facts.container = .transportStream(packetSize: 188)
        facts.earliestMediaTime = timestamp(start)
        facts.latestMediaTime = timestamp(start + segmentLength - 0.02)
        facts.programs = [.lawful]
        self.facts(&facts)
        var segment = ObservedSegment(
            name: "seg\(segmentNumber).ts", mediaSequence: segmentNumber, duration: segmentLength,
            position: start, isDiscontinuity: isAfterDiscontinuity, facts: isUnread ? nil : facts)
        segment.isInBreak = isInBreak
        return segment
    }

    private func occurrence(of sample: TagSample, in segment: ObservedSegment) throws -> TagOccurrence {
        let occurrence = TagOccurrence(
            tag: try sample.decoded(),
            origin: .recording(
                TagPlace(source: "sample", segment: segment.name, mediaSequence: segment.mediaSequence)),
            time: timestamp(sample.position), seconds: sample.position + clockOffset,
            carriage: sample.carriage,
            transport: .init(
                packetCount: 2, fillsPackets: true, streamID: 0xBD,
                precedingMediaTime: timestamp(sample.position)),
            isTruncated: sample.isTruncated, position: sample.position)
        return health.policy.tagPolicy.checked(occurrence)
    }
}

extension Episode {
    /// The change in two words.
    var text: String { "\(isCleared ? "clear" : "raise") \(check.rawValue)" }
}
