package import NielsenID3

extension CheckID {
    /// `info.late`.
    package static let infoLate = CheckID("info.late")
}

extension HealthLimit {
    /// `info.late`: the maximum time from one INFO tag to the next.
    public static let infoInterval = HealthLimit(
        "limit-info-interval", 310, "s",
        "info.late: maximum time from one INFO tag to the next")
    /// `info.late`: the shortest media on which the check runs.
    public static let infoMinimumDuration = HealthLimit(
        "limit-info-minimum-duration", 360, "s",
        "info.late: shortest media on which the check runs")
}

/// `info.late`: an INFO tag arrives within 310 seconds of the previous one, or of the start.
struct InfoLate: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .infoLate, on: [.unit], worst: .fail, clock: .stream, limits: [.infoInterval, .infoMinimumDuration],
        rowLimit: .infoInterval,
        notRun: "Too little media was read to expect an INFO tag.",
        expectation: "INFO tags arrive at regular intervals",
        title: "An INFO tag is late",
        meaning: """
            An inserter describes itself in an INFO tag every 300 s; more than 310 s have passed without one. The DATA
            tags still count, but Nielsen cannot see which inserter made them. Only media that was read counts. Media
            that was not read, or only in part, may have had an INFO tag: if it comes within 310 s of the last INFO tag,
            the 310 s begin again after it. Later such media does not delay the finding, unless as much as 310 s in a
            row are missing. So a stream without INFO tags fails after 620 s of media at most, even if it loses segments
            all the time. A late INFO tag stays late until one is read.
            """,
        appearance: """
            DATA tags at the usual interval without a tag of kind `info` between them. A missing sequence number where
            the INFO tag was due means that it was made and then lost.
            """,
        cause: """
            A filter that passes only DATA tags or drops tags with null CIDs; packet loss that hit the INFO tag; an
            inserter that is configured not to send INFO tags; or content that begins right after one.
            """,
        action: """
            If a sequence number is missing there, look for the loss. If not, check the inserter's settings.
            """,
        alerting: .init(explainedBy: [.segmentHTTP], judgesPresence: true))

    /// The maximum number of events that wait for another rendition.
    ///
    /// Beyond it, the earliest waiting event is checked immediately.
    private static let capacity = 64

    /// An INFO tag in a recording, or the end of media that was not read.
    private struct Observation {
        let position: Double
        let place: Finding.Place
        /// The media that was not read; nil for an INFO tag.
        let unread: UnreadMedia?
    }

    private var waiting: [Observation] = []
    /// The position of the last INFO tag in the media, or of the start without one.
    private var last = 0.0
    /// The position after unread media in which the next INFO tag may have been; nil without any.
    private var resumption: Double?
    private var hasTag = false
    private var hasInfo = false
    /// The end of the live media so far.
    private var end = 0.0
    /// The place up to which a recording was read.
    private var place = Finding.Place()
    /// The violations that wait until enough media of the recording was read.
    private var found: [(result: CheckResult, place: Finding.Place)] = []

    /// The start of the time without an INFO tag.
    private var origin: Double { resumption ?? last }

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        switch event {
        case .unitTag(let tag, let position, let unit):
            hasTag = true
            guard tag.occurrence.validKind == .info else { return }
            add(Observation(position: position, place: tag.place, unread: nil), ofUnit: unit, &ledger)
        case .unitLoss(let unread, let position, let place, let unit):
            add(Observation(position: position, place: place, unread: unread), ofUnit: unit, &ledger)
        case .unitSegment(_, let read, let place, let unit):
            self.place = place
            advance(to: read.lowerBound, ofUnit: unit, &ledger)
            // Without any tag, missing INFO tags are a consequence at the end.
            if hasTag { report(after: read.upperBound, &ledger) }
        case .unitEnd(let read, _, _, let unit):
            advance(to: read, ofUnit: unit, &ledger)
            while !waiting.isEmpty { checkFirst(ofUnit: unit, &ledger) }
            report(after: read, &ledger)
        default: break
        }
    }

    private mutating func add(_ event: Observation, ofUnit unit: Int, _ ledger: inout CheckLedger) {
        guard event.position.isFinite else { return }
        let index = waiting.firstIndex { $0.position > event.position } ?? waiting.endIndex
        waiting.insert(event, at: index)
        if waiting.count > Self.capacity { checkFirst(ofUnit: unit, &ledger) }
    }

    /// Checks the media up to `position`, to which all renditions of the unit were read.
    private mutating func advance(to position: Double, ofUnit unit: Int, _ ledger: inout CheckLedger) {
        while let first = waiting.first, first.position <= position { checkFirst(ofUnit: unit, &ledger) }
        if waiting.isEmpty { check(upTo: position, at: place, ofUnit: unit, &ledger) }
    }

    /// Reports the violations so far, unless too little media was read without a gap.
    private mutating func report(after duration: Double, _ ledger: inout CheckLedger) {
        guard duration >= ledger.policy[.infoMinimumDuration],
            hasInfo || resumption == nil || !found.isEmpty
        else { return }
        ledger.report(Self.id, .pass, at: place, because: .ownerPresent)
        for (result, place) in found { ledger.report(Self.id, result, at: place, because: .ownerPresent) }
        found = []
    }

    private mutating func checkFirst(ofUnit unit: Int, _ ledger: inout CheckLedger) {
        let event = waiting.removeFirst()
        check(upTo: event.position, at: event.place, ofUnit: unit, &ledger)
        if let unread = event.unread {
            pass(unread, to: event.position, ledger.policy)
        } else {
            _ = ledger.setLasting(Self.id, false, ofPart: unit)
            observeInfo(at: event.position)
        }
    }

    private mutating func observeInfo(at position: Double) {
        last = max(last, position)
        resumption = nil
        hasInfo = true
    }

    /// Begins the interval again after media in which the next INFO tag may have been.
    ///
    /// A second such stretch does not: a stream without INFO tags that loses a segment every few minutes is reported.
    /// As much unread media as the interval had an INFO tag for certain. A late INFO tag stays late.
    private mutating func pass(_ unread: UnreadMedia, to position: Double, _ policy: HealthPolicy) {
        let start = position - unread.readSeconds
        guard !Self.isLate(start - origin, policy) else { return }
        if unread.seconds >= policy[.infoInterval] { last = position }
        if !Self.isLate(start - last, policy) { resumption = position }
    }

    private mutating func check(
        upTo position: Double, at place: Finding.Place, ofUnit unit: Int, _ ledger: inout CheckLedger
    ) {
        let interval = position - origin
        guard Self.isLate(interval, ledger.policy), !ledger.setLasting(Self.id, true, ofPart: unit) else {
            return
        }
        let since =
            if let resumption {
                "\(SecondsText(interval)) without an INFO tag after media that was not read completely, "
                    + "at \(SecondsText(resumption)) of media"
            } else if hasInfo {
                "\(SecondsText(interval)) since the last INFO tag, at \(SecondsText(last)) of media"
            } else {
                "no INFO tag in the first \(SecondsText(interval)) of media"
            }
        found.append((.violation(.fail, Self.detail(since, ledger.policy)), place))
    }

    private static func isLate(_ interval: Double, _ policy: HealthPolicy) -> Bool {
        interval > policy[.infoInterval]
    }

    private static func detail(_ since: String, _ policy: HealthPolicy) -> String {
        "\(since): one is late after \(SecondsText(policy[.infoInterval])) (clock: pts)"
    }
}

extension InfoLate {
    /// Checks live media up to the end of a segment of `length` seconds; not run while too little media was read
    /// without a gap.
    mutating func check(after length: Double, hasInfo isThere: Bool, policy: HealthPolicy) -> CheckResult {
        end += length
        if isThere { observeInfo(at: end) }
        guard end >= policy[.infoMinimumDuration] else { return .notRun }
        let interval = end - origin
        guard Self.isLate(interval, policy) else { return resumption == nil ? .pass : .notRun }
        let since =
            resumption != nil
            ? "without an INFO tag after media that was not read completely"
            : hasInfo ? "since the last INFO tag" : "without an INFO tag"
        return .violation(.fail, Self.detail("\(SecondsText(interval)) of media \(since)", policy))
    }

    /// Records live media that was not read, or in part.
    mutating func skip(_ unread: UnreadMedia, policy: HealthPolicy) { pass(unread, to: end, policy) }

    /// Records an INFO tag in live media that was read in part and does not count as read.
    mutating func observeInfo() { observeInfo(at: end) }

    /// Discards the live media so far, which may have replaced an INFO tag.
    mutating func restart() { self = InfoLate() }
}

/// Media of a rendition in which tags may have been lost: it was not read, or only in part.
struct UnreadMedia: Sendable {
    /// The duration of the media that was not read, up to the next media that was; 0 if it is unknown.
    var seconds = 0.0
    /// The duration of the media that was read in part.
    var readSeconds = 0.0
}
