package import NielsenID3
import TextForms

extension CheckID {
    /// `tag.count`.
    package static let tagCount = CheckID("tag.count")
}

extension HealthLimit {
    /// `tag.count`: the shortest media on which the check runs.
    public static let countMinimumDuration = HealthLimit(
        "limit-count-minimum-duration", 60, "s",
        "tag.count: shortest media on which the check runs")
    /// `tag.count`: the length of media that needs no tag.
    public static let countGrace = HealthLimit(
        "limit-count-grace", 20, "s",
        "tag.count: length of media that needs no tag")
    /// `tag.count`: the length of media per required DATA tag.
    public static let countInterval = HealthLimit(
        "limit-count-interval", 12, "s",
        "tag.count: length of media per required DATA tag")
}

/// `tag.count`: a stream has the number of DATA tags that its length requires.
struct TagCount: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .tagCount, on: [.unit], worst: .warn, clock: .stream,
        limits: [.countMinimumDuration, .countGrace, .countInterval],
        notRun: "Too little media was read to check the number of tags.",
        expectation: "There are enough DATA tags for the length of the media",
        urgency: "as for `presence.silent`",
        title: "There are too few tags for the length of the media",
        meaning: """
            A clean stream has a DATA tag every ten seconds. This one has fewer than one per twelve seconds, after an
            allowance for the start: the periods without a tag are not credited. Media that was not read needs no
            tags, and may have had one per twelve seconds in addition to its share.
            """,
        appearance: """
            The finding has the number of tags and the minimum for the length of the media. `time.gap` and
            `sequence.step` report the individual gaps.
            """,
        cause: """
            Periods without a watermark (silence, advertisements, content that is not encoded) are normal and the most
            frequent cause. If `sequence.step` fails too, tags were lost in transit. If it passes, the inserter made
            fewer: it has trouble detecting the watermark after heavy audio compression or downmixing.
            """,
        action: """
            Check `sequence.step` first: if it fails, look for the loss. If it passes, compare the gaps with the
            schedule, and then the audio at the inserter's input with that of the program output.
            """,
        alerting: .init(explainedBy: [.segmentHTTP], judgesPresence: true))

    /// The maximum number of segments in the window of live media.
    private static let capacity = 256

    /// The number of DATA tags in a recording, or in the window of live media.
    private var count = 0
    /// The segments in the window, oldest first.
    private var window: [(length: Double, count: Int, unread: Double)] = []
    /// The duration of the media in the window that was read, in seconds.
    private var duration = 0.0
    /// The duration of the media in the window that was not read, in seconds.
    private var unread = 0.0

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        switch event {
        case .unitTag(let tag, _, _): if Self.isCounted(tag.occurrence) { count += 1 }
        case .unitEnd(let read, let unread, let place, _):
            let result = check(duration: read, unread: unread, policy: ledger.policy)
            ledger.report(Self.id, result, at: place, because: .ownerPresent)
        default: break
        }
    }

    /// Whether a tag is a DATA tag; a broken tag is one unless it is readable as an INFO tag.
    private static func isCounted(_ tag: TagOccurrence) -> Bool {
        tag.isBroken ? tag.tag.kind != .info : tag.tag.kind == .data
    }

    func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit? {
        CheckOutcome.Limit(value: Double(Self.required(duration: duration, policy: policy)), unit: "tags")
    }

    /// Returns the minimum number of DATA tags for `duration` seconds of media.
    private static func required(duration: Double, policy: HealthPolicy) -> Int {
        let interval = policy[.countInterval]
        let seconds = duration - policy[.countGrace]
        guard seconds > 0, interval > 0 else { return 0 }
        return Int(exactly: (seconds / interval).rounded(.down)) ?? .max
    }

    /// Checks `duration` seconds of media that was read, beside `unread` seconds; not run if that is too short.
    private func check(duration: Double, unread: Double, policy: HealthPolicy) -> CheckResult {
        guard duration >= policy[.countMinimumDuration] else { return .notRun }
        return check("\(SecondsText(duration)) of media", requiring: duration, unread: unread, policy)
    }

    /// Adds a segment of live media with its tags, and checks the window that ends with it.
    ///
    /// The window is as long as the check's minimum duration. A silence limit above the default extends it by the
    /// difference, and that time needs no tags.
    mutating func check(_ tags: [PlacedTag], in length: Double, policy: HealthPolicy) -> CheckResult {
        let added = tags.count { Self.isCounted($0.occurrence) }
        window.append((length, added, 0))
        count += added
        duration += length
        let allowance = max(0, policy[.silence] - HealthLimit.silence.defaultValue)
        let span = policy[.countMinimumDuration] + allowance
        while let first = window.first, duration - first.length >= span || window.count > Self.capacity {
            window.removeFirst()
            count -= first.count
            duration -= first.length
            unread -= first.unread
        }
        guard duration >= span else { return .notRun }
        return check(
            "the last \(SecondsText(duration)) of media", requiring: duration - allowance, unread: unread,
            policy)
    }

    /// Adds live media that was not read, with the tags that were found in it.
    mutating func skip(_ tags: [PlacedTag], in seconds: Double) {
        let added = tags.count { Self.isCounted($0.occurrence) }
        count += added
        unread += seconds
        guard let last = window.indices.last, window[last].length == 0 else {
            return window.append((0, added, seconds))
        }
        window[last].count += added
        window[last].unread += seconds
    }

    /// Empties the window of live media.
    mutating func restart() { self = TagCount() }

    private func check(
        _ media: String, requiring duration: Double, unread: Double, _ policy: HealthPolicy
    ) -> CheckResult {
        // Segments that are lost at regular intervals may be those with the tags.
        let interval = policy[.countInterval]
        let lost = interval > 0 ? Int(exactly: max(0, unread / interval).rounded(.down)) ?? .max : 0
        let required = Self.required(duration: duration, policy: policy) - lost
        guard count < required else { return .pass }
        return .violation(
            .warn,
            "\(DecimalText.count(count, "DATA tag")) in \(media): at least \(required) \(required == 1 ? "is" : "are") "
                + "expected, unless it is silent or has no "
                + "watermark (clock: pts)")
    }
}
