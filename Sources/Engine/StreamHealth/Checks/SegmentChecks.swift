import ID3v2
package import NielsenID3
import TextForms

extension CheckID {
    /// `carriage.continuity`.
    package static let continuity = CheckID("carriage.continuity")
}

/// `carriage.continuity`: the continuity counter of the ID3 PID increments by one within a segment.
struct Continuity: HealthCheck {
    static let declaration = CheckDeclaration(
        .continuity, on: [.segment], worst: .warn,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The continuity counter of the ID3 PID shows no packet loss",
        title: "The ID3 stream has continuity counter errors",
        meaning: """
            The 4-bit counter of the metadata PID does not increment by one within a segment: packets are missing, two
            sources write to the PID, or the multiplexer counts incorrectly. A strict demuxer drops the PES packet at
            the error, and the tag in it.
            """,
        appearance: """
            Counter values such as 3, 4, 6. A counter that stands still, or that also counts packets without payload,
            is reported too, but no packet is missing, so the tags are kept. A repeated packet with the same counter is
            valid and is not reported. Between two segments any step is allowed.
            """,
        cause: """
            Packet loss on the way to the packager; a splicer or fail-over switch that joins two multiplexes; or an
            inserter that adds packets to a finished stream whose PID already has a counter.
            """,
        action: """
            If audio and video have errors at the same places, repair the transport. If only the metadata PID has
            errors, either the inserter and the multiplexer both write to this PID, or the inserter does not keep its
            counter between calls.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segment(let content) = event, content.isTransportStream else { return }
        let errors = content.facts.continuityErrors
        if content.facts.metadataPESCount > 0 || errors.count > 0 { ledger.markRun(Self.id) }
        for error in errors.first {
            ledger.report(
                Self.id, .warn, at: content.place,
                "at byte \(error.offset) the continuity counter of PID \(error.pid) is \(error.found), not "
                    + "\(error.expected): packets are missing before it, or the counter is wrong")
        }
        ledger.count(Self.id, .warn, violations: errors.count - errors.first.count)
    }
}

extension CheckID {
    /// `carriage.emsg-form`.
    package static let emsgForm = CheckID("carriage.emsg-form")
}

/// `carriage.emsg-form`: the scheme, value and version of an event message are a known form, and a repeated id repeats
/// the data too.
struct EventMessageForm: HealthCheck {
    static let declaration = CheckDeclaration(
        .emsgForm, on: [.segment], worst: .warn,
        notRun: "No Nielsen tag came in an event message box.",
        expectation: "Event message boxes have the scheme, value, version and id that players expect",
        title: "An event message is not in a form that players expect",
        meaning: """
            In fMP4, a tag travels in an `emsg` box whose scheme, value and version identify it as ID3. Either this box
            carries a tag in a form that players may not recognize, or two boxes have the same id but different tags. In
            the second case, a player may keep only the first.
            """,
        appearance: """
            Expected is `https://aomedia.org/emsg/ID3` with version 1, or `www.nielsen.com:id3:v1` with value `1`
            (DASH). Found was another scheme or value, version 0 where version 1 is required, or a repeated id. `dtvr
            scan --format jsonl` shows them as `scheme`, `value`, `emsg_version` and `emsg_id`.
            """,
        cause: """
            Packagers that predate the CMAF rule use their own schemes (`http://www.id3.org/`,
            `https://developer.apple.com/streaming/emsg-id3`). Ids repeat if the packager restarts its counter with
            every segment.
            """,
        action: """
            Set the packager's ID3 scheme to `https://aomedia.org/emsg/ID3` with version 1, and check whether your
            players accept the current form: hls.js, for example, reads any scheme that contains `/emsg/ID3` or
            `/emsg-id3`. Different messages must have different ids.
            """)

    /// The forms that carry Nielsen tags.
    private static let forms: [Form] = [
        Form(scheme: "https://aomedia.org/emsg/ID3", value: nil, versions: [1]),
        Form(scheme: "www.nielsen.com:id3:v1", value: "1", versions: [0, 1]),
        Form(scheme: "https://developer.apple.com/streaming/emsg-id3", value: nil, versions: [1]),
        Form(scheme: "http://www.id3.org/", value: nil, versions: [0]),
    ]

    private struct Form {
        let scheme: String
        /// The required value; nil if any value is valid.
        let value: String?
        let versions: [UInt8]
    }

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .segment(let content) = event else { return }
        for tag in content.tags {
            guard case .eventMessage(let event) = tag.occurrence.carriage else { continue }
            ledger.markRun(Self.id)
            guard let detail = Self.departure(of: event) else { continue }
            ledger.report(Self.id, .warn, at: tag.place, detail)
        }
        let changed = content.facts.changedEventMessages
        for id in changed.first {
            ledger.report(
                Self.id, .warn, at: content.place,
                "event message \(id) is repeated with different data: players drop it as a duplicate")
        }
        ledger.count(Self.id, .warn, violations: changed.count - changed.first.count)
    }

    /// Describes how an event message differs from the known forms, or returns nil if it does not.
    private static func departure(of event: Carriage.EventMessage) -> String? {
        guard let form = forms.first(where: { $0.scheme == event.schemeIDURI }) else {
            return
                "the event message has the scheme \"\(Self.beginning(of: event.schemeIDURI))\", which players do not "
                + "recognize: expected one of \(forms.map(\.scheme).joined(separator: ", "))"
        }
        if let value = form.value, event.value != value {
            return
                "the event message of scheme \(form.scheme) has the value \"\(Self.beginning(of: event.value))\": "
                + "expected \"\(value)\""
        }
        guard form.versions.contains(event.version) else {
            return "the event message of scheme \(form.scheme) has version \(event.version): "
                + "expected \(form.versions.map { "\($0)" }.joined(separator: " or "))"
        }
        return nil
    }

    /// The first 80 characters of a text from a box, to keep findings short.
    private static func beginning(of text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(80)))
    }
}

extension CheckID {
    /// `carriage.owner-present`.
    package static let ownerPresent = CheckID("carriage.owner-present")
}

extension HealthLimit {
    /// `carriage.owner-present`: the shortest media on which the check runs.
    public static let ownerMinimumDuration = HealthLimit(
        "limit-owner-minimum-duration", 30, "s",
        "carriage.owner-present: shortest media on which the check runs")
}

/// `carriage.owner-present`: a stream has at least one Nielsen tag.
struct OwnerPresent: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .ownerPresent, on: [.unit], worst: .fail, limits: [.ownerMinimumDuration],
        rowLimit: .ownerMinimumDuration,
        notRun: "Too little media was read to conclude that tags are missing.",
        expectation: "The stream carries Nielsen tags",
        urgency:
            "now, with `presence.silent`; on a new channel, the rendition is wrong or there is no inserter",
        title: "The stream has no Nielsen tags",
        meaning: """
            The stream is long enough for several tags but has none whose owner is `www.nielsen.com/`. Its viewers are
            not counted.
            """,
        appearance: """
            `dtvr scan --all` lists no tags, or only tags of other owners such as
            `com.apple.streaming.transportStreamTimestamp`. Often the PMT has no stream of type 0x15 either.
            """,
        cause: """
            A transcoder or packager dropped the tags. FFmpeg's automatic stream selection skips data streams: without
            `-map 0:d` (or `-map 0`) it drops the ID3 stream without an error, and an MP4 output cannot hold it. Shaka
            Packager skips unknown stream types and logs it (`Ignore unsupported MPEG2TS stream type`). AWS Elemental
            MediaLive has a setting for each output (`nielsenId3Behavior`, `timedMetadataBehavior`). An MP4 step in the
            chain loses every stream of type 0x15 unless the tool converts it to `emsg`. Or the inserter hears no
            watermark: wrong audio track, muted audio, or audio that is not encoded for Nielsen.
            """,
        action: """
            Run `dtvr check` on the output of every hop, starting at the inserter: the first output without tags shows
            the cause. For FFmpeg, add `-map 0:v -map 0:a -map 0:d -c:d copy`. For a managed encoder, enable timed
            metadata passthrough on each output. If no hop has tags, check the inserter and its audio input.
            """,
        alerting: .init(.never, judgesPresence: true))

    private var hasTag = false
    /// The place of timed ID3 in the transport streams so far; nil without one.
    private var declared: DeclaredStream?

    /// The place of timed ID3 in a transport stream, the one with the most content last.
    private enum DeclaredStream: Comparable, Sendable {
        /// No PMT declares a stream for it.
        case none
        /// A PMT declares a stream without any packet.
        case empty(pid: UInt16)
        /// A stream carries tags, of other owners.
        case used
    }

    /// Seconds of live media without any tag that had to have one.
    private var untagged = 0.0

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        switch event {
        case .unitTag: observeTag()
        case .unitSegment(let facts?, _, _, _): observe(facts)
        case .unitEnd(let read, _, let place, _):
            ledger.report(Self.id, check(duration: read, policy: ledger.policy), at: place, because: nil)
        default: break
        }
    }

    /// Records that a Nielsen tag arrived, even if it is broken.
    mutating func observeTag() { hasTag = true }

    /// Records what the PMT of a segment declares, and whether the declared stream has packets.
    private mutating func observe(_ facts: CarriageFacts) {
        guard case .transportStream = facts.container else { return }
        let streams = facts.programs.flatMap(\.streams).filter {
            $0.streamType == 0x15 || $0.hasMetadataDescriptor
        }
        let found: DeclaredStream =
            facts.metadataPESCount > 0 ? .used : streams.first.map { .empty(pid: $0.pid) } ?? .none
        declared = max(declared ?? found, found)
    }

    /// The likely cause of the lack of tags, as the end of a sentence.
    private var cause: String {
        switch declared {
        case .none?:
            "the PMT declares no stream for timed ID3 (stream_type 0x15), so a packager or transcoder removes it, or "
                + "none was made"
        case .empty(let pid)?:
            "the PMT declares a stream for timed ID3 on PID \(pid), but it is empty: the inserter is off, or hears no "
                + "watermark"
        case .used?, nil: "the inserter is off, or a packager removes the tags"
        }
    }

    /// Checks `duration` seconds of media; not run if that is too short.
    private func check(duration: Double, policy: HealthPolicy) -> CheckResult {
        guard duration >= policy[.ownerMinimumDuration] else { return .notRun }
        if hasTag { return .pass }
        return .violation(
            .fail,
            "no Nielsen tag in \(SecondsText(duration)) of media: \(cause)")
    }

    /// Checks live media up to the end of a segment of `length` seconds; once there was a tag, it passes.
    mutating func check(after length: Double, policy: HealthPolicy) -> CheckResult {
        if hasTag { return .pass }
        untagged += length
        return check(duration: untagged, policy: policy)
    }

    /// Excludes the live media so far, in which no tag was expected.
    mutating func restart() { untagged = 0 }
}

/// `id3.malformed`: bytes that begin like an ID3 tag follow the rules of ID3v2.
struct ID3Malformed: HealthCheck {
    static let declaration = CheckDeclaration(
        .id3Malformed, on: [.segment, .tag], worst: .fail,
        notRun: "No ID3 tag was read.",
        expectation: "ID3 tags follow ID3v2",
        urgency: "now if every tag has it",
        title: "An ID3 tag is malformed",
        meaning: """
            The tag begins with `ID3` and then violates ID3v2. In a Nielsen tag this is a failure, because a player's
            ID3 parser may reject it. In a tag of another owner it is a warning. Plain sizes where sync-safe sizes are
            required are a warning: a parser that follows the rule reads other lengths.
            """,
        appearance: """
            The finding has the byte offset in the tag and the rule: a frame that extends beyond its tag, a frame id
            with characters other than letters and digits, a size with a high bit set, or flags that version 2.4.0 does
            not define.
            """,
        cause: """
            A tool that builds tags by hand: sizes above 127 written as plain integers are the classic mistake. Or
            damage in transit, in particular five missing bytes at the front, which FFmpeg 5.1 drops when it
            remultiplexes timed ID3.
            """,
        action: """
            Compare the tag's bytes with those before the last hop. If they differ, that hop must pass the tag through
            unaltered. If they are equal, fix the tool that writes the tag.
            """,
        alerting: .init(explainedBy: [.pmtDescriptors]))

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        switch event {
        case .tag(let tag): ledger.report(.wellFormed, of: tag, Self.detail(of: tag.occurrence))
        case .segment(let content):
            report(content.facts.malformed.tags, at: content.place, into: &ledger)
            report(content.malformedOthers, at: content.place, into: &ledger, of: "another owner's tag: ")
        default: break
        }
    }

    /// Reports the ranges in a list and counts those beyond its capacity.
    private func report(
        _ ranges: CarriageFacts.Bounded<CarriageFacts.MalformedRange>, at place: Finding.Place,
        into ledger: inout CheckLedger, of owner: String = ""
    ) {
        for range in ranges.first {
            if let identifier = range.headlessOwner {
                Self.report(headless: identifier, of: range, at: place, into: &ledger)
            } else {
                ledger.report(Self.id, .warn, at: place, owner + Self.text(range))
            }
        }
        ledger.count(Self.id, .warn, violations: ranges.count - ranges.first.count)
    }

    private static func report(
        headless owner: [UInt8], of range: CarriageFacts.MalformedRange, at place: Finding.Place,
        into ledger: inout CheckLedger
    ) {
        var place = place
        let tag = NielsenTag(ownerIdentifier: owner.span)
        place.sequence = tag?.sequence
        ledger.report(
            Self.id, .fail, at: place,
            "at byte \(range.offset) of the segment a Nielsen tag has lost its first five bytes, which FFmpeg 5.1 "
                + "drops when it remultiplexes timed ID3: players cannot read it; the remaining bytes have the owner "
                + "identifier \(String(decoding: owner, as: UTF8.self))")
    }

    private static func text(_ range: CarriageFacts.MalformedRange) -> String {
        let bytes =
            range.length > 0
            ? "\(DecimalText.count(range.length, "byte")) at byte \(range.offset)"
            : "the bytes at byte \(range.offset)"
        return "\(bytes) of the segment begin like an ID3 tag but violate the rule \(range.rule)"
    }

    private static func detail(of tag: TagOccurrence) -> String {
        if let error = tag.tag.malformation {
            return "at byte \(error.offset) the tag violates the ID3v2 rule \(error.rule)"
        }
        let names = tag.tag.deviations.rules.map(\.rawValue).joined(separator: ", ")
        return tag.status(of: .wellFormed) == .warn
            ? "sizes are not encoded as ID3v2 requires, but can still be read: \(names)"
            : "the tag deviates from ID3v2: \(names)"
    }
}
