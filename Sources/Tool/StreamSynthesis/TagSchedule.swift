/// The tags of a stream, each computed from its number alone, so that any part can be made without earlier ones.
///
/// There is a DATA tag per interval, and INFO tags in between. An encoder closes a tag when its clock has passed the
/// tag's last second. The tag then takes the PTS of the last audio frame fed to the encoder. The DATA tag for seconds 0
/// to 10 therefore follows the last audio frame that begins before second 10, and a stream of two minutes has twelve
/// DATA tags.
struct TagSchedule {
    var settings: SynthesisSettings
    /// The interval between DATA tags and the time span of each, in seconds of the tags' clock.
    var interval: Int64
    var span: Int64
    /// The duration of a second of the tags' clock.
    var clockTicks = SynthesisSettings.ticksPerSecond
    /// The closing time of the second INFO tag.
    ///
    /// INFO tags after the first are shifted by half a tag, so that none coincides with a DATA tag.
    var secondInfo: Int64

    /// Creates the schedule of a stream, with a fault of its pace.
    init(_ settings: SynthesisSettings) {
        self.settings = settings
        interval = Int64(settings.tagInterval)
        span = interval
        secondInfo = 0
        secondInfo = infoTicks - halfTag
        settings.fault?.declaration.pace?(&self)
    }

    /// Half the interval between DATA tags in a stream without a fault.
    var halfTag: Int64 { Int64(settings.tagInterval) * SynthesisSettings.ticksPerSecond / 2 }
    private var dataTicks: Int64 { interval * clockTicks }
    private var infoTicks: Int64 { Int64(settings.infoInterval) * SynthesisSettings.ticksPerSecond }

    /// Returns the tags in a range of ticks from the start of the stream, in time order.
    func tags(in range: Range<Int64>) -> [ScheduledTag] {
        var tags: [ScheduledTag] = []
        for kind in [SyntheticTag.Kind.info, .data] {
            var index = firstIndex(kind, near: range.lowerBound)
            while true {
                let moment = moment(kind, index)
                let place = Self.place(of: moment)
                if place >= range.upperBound { break }
                if place >= range.lowerBound { tags.append(tag(kind, index, closing: moment)) }
                index += 1
            }
        }
        Self.sort(&tags)
        return tags
    }

    /// Returns the number of tags before a position, in ticks from the start of the stream.
    func count(before place: Int64) -> Int {
        [SyntheticTag.Kind.info, .data].reduce(0) { count, kind in
            count + self.count(kind, near: place) { Self.place(of: $0) < place }
        }
    }

    /// Gives tags consecutive sequence numbers in the order of their closing times.
    func number(_ tags: inout [ScheduledTag]) {
        Self.sort(&tags)
        for (position, place) in tags.indices.enumerated() { tags[place].tag.sequence = sequence(position) }
    }

    /// Returns a tag that closes at `moment`, by its index among the tags of its kind.
    func tag(
        _ kind: SyntheticTag.Kind, _ index: Int, closing moment: Int64, first: UInt32? = nil,
        last: UInt32? = nil
    ) -> ScheduledTag {
        let last = last ?? settings.startTime &+ UInt32(truncatingIfNeeded: moment / clockTicks)
        let other: SyntheticTag.Kind = kind == .data ? .info : .data
        // Of two tags that close at the same time, the INFO tag is the first.
        let position = index + count(other, near: moment) { kind == .data ? $0 <= moment : $0 < moment }
        let tag = SyntheticTag(
            kind: kind, sequence: sequence(position),
            firstTime: first ?? (kind == .data ? last &- UInt32(span) : last), lastTime: last,
            seed: settings.seed, index: index)
        let place = Self.place(of: moment)
        return ScheduledTag(
            index: index, moment: moment, audioFrame: Int(place / SynthesisSettings.audioFrameTicks),
            time: Int64(settings.startPTS) + place, tag: tag)
    }

    private func sequence(_ position: Int) -> UInt16 {
        settings.firstSequence &+ UInt16(truncatingIfNeeded: position)
    }

    /// Sorts tags by their closing times.
    private static func sort(_ tags: inout [ScheduledTag]) {
        tags.sort { ($0.moment, $0.tag.kind.rawValue) < ($1.moment, $1.tag.kind.rawValue) }
    }

    /// Returns the closing time of a tag, by its index among the tags of its kind.
    private func moment(_ kind: SyntheticTag.Kind, _ index: Int) -> Int64 {
        switch kind {
        case .data: Int64(index + 1) * dataTicks
        case .info: index == 0 ? 0 : secondInfo + Int64(index - 1) * infoTicks
        }
    }

    /// Returns the position of the tag that closes at `moment`: the last audio frame that begins before it.
    private static func place(of moment: Int64) -> Int64 {
        max(0, (moment - 1) / SynthesisSettings.audioFrameTicks * SynthesisSettings.audioFrameTicks)
    }

    /// Returns the index of a tag that closes at or before `place`, or of the first tag.
    private func firstIndex(_ kind: SyntheticTag.Kind, near place: Int64) -> Int {
        switch kind {
        case .data: Int(max(0, place / dataTicks - 1))
        case .info: Int(max(0, (place - secondInfo) / infoTicks))
        }
    }

    /// Returns the number of tags of a kind whose closing time satisfies `holds`.
    ///
    /// The condition must hold for all tags before some time near `place`, and for none after it.
    private func count(_ kind: SyntheticTag.Kind, near place: Int64, where holds: (Int64) -> Bool) -> Int {
        var count = firstIndex(kind, near: place)
        while holds(moment(kind, count)) { count += 1 }
        return count
    }
}

extension SynthesisSettings {
    /// Returns the tags of a rendition of the recorded stream, with the fault, in the order of their positions.
    func tags(ofRendition index: Int) -> [ScheduledTag] {
        let schedule = TagSchedule(self)
        let end = SynthesisSettings.ticks(duration)
        var tags = schedule.tags(in: 0..<end + 1).filter { $0.moment <= end }
        guard let declaration = fault?.declaration, let edit = declaration.edit,
            !declaration.isOfLastRendition || index == renditions.count - 1
        else { return tags }
        let data = tags.indices.filter { tags[$0].tag.kind == .data }
        // A fault of DATA tags needs several of them; see `SynthesisFault.minimumDuration`.
        edit(&tags, schedule, data.isEmpty ? 0 : data[data.count / 2])
        return tags
    }
}

/// An ID3 tag of a stream, with its position.
package struct ScheduledTag: Sendable, Hashable {
    /// The index among the tags of its kind, from 0.
    let index: Int
    /// The closing time, in ticks from the start of the stream.
    let moment: Int64
    /// The audio frame that the tag follows.
    var audioFrame: Int
    /// The presentation time in ticks of 90 kHz, not wrapped.
    var time: Int64
    /// The fields of the tag, which set its bytes.
    var tag: SyntheticTag { didSet { bytes = tag.bytes } }
    /// The bytes of the complete tag.
    package var bytes: [UInt8]
    /// The fault in the transport stream packets of the tag, or nil for none.
    var packetFault: SynthesisFault?

    init(index: Int, moment: Int64, audioFrame: Int, time: Int64, tag: SyntheticTag) {
        self.index = index
        self.moment = moment
        self.audioFrame = audioFrame
        self.time = time
        self.tag = tag
        bytes = tag.bytes
    }

    /// The PTS, 33 bits at 90 kHz.
    package var pts: UInt64 { UInt64(bitPattern: time) & (1 << 33 - 1) }

    /// The owner identifier, unchanged.
    package var ownerIdentifier: String {
        String(decoding: bytes.dropFirst(20).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Whether the tag has no synthetic measurements.
    var isOfAnotherOwner: Bool { bytes == Self.otherOwnersBytes }

    /// A tag of an owner without measurements: PRIV, owner `synthetic.example`, four bytes.
    static let otherOwnersBytes: [UInt8] = {
        let body = Array("synthetic.example".utf8) + [0x00, 0x01, 0x02, 0x03, 0x04]
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }()
}
