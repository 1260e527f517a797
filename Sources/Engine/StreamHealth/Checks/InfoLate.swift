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
        .infoLate, worst: .fail, clock: .stream, limits: [.infoInterval, .infoMinimumDuration],
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
    private var hasInfo = false
    /// The end of the live media so far.
    private var end = 0.0
    private var isReported = false
    /// The findings since the last `drainFindings(duration:policy:)`.
    private var found: [Finding] = []

    /// The start of the time without an INFO tag.
    private var origin: Double { resumption ?? last }

    /// Adds an INFO tag at a position in the media, in seconds.
    mutating func observe(at position: Double, place: Finding.Place, policy: HealthPolicy) {
        add(Observation(position: position, place: place, unread: nil), policy)
    }

    /// Adds media that was not read and that ends at a position.
    mutating func skip(_ unread: UnreadMedia, to position: Double, place: Finding.Place, policy: HealthPolicy)
    {
        add(Observation(position: position, place: place, unread: unread), policy)
    }

    private mutating func add(_ event: Observation, _ policy: HealthPolicy) {
        guard event.position.isFinite else { return }
        let index = waiting.firstIndex { $0.position > event.position } ?? waiting.endIndex
        waiting.insert(event, at: index)
        if waiting.count > Self.capacity { checkFirst(policy) }
    }

    /// Reports that all renditions of the unit were read up to `position`.
    mutating func advance(to position: Double, place: Finding.Place, policy: HealthPolicy) {
        while let first = waiting.first, first.position <= position { checkFirst(policy) }
        guard !isReported, waiting.isEmpty else { return }
        isReported = check(upTo: position, place: place, policy: policy)
    }

    /// Checks the events that are still waiting.
    mutating func finish(policy: HealthPolicy) {
        while !waiting.isEmpty { checkFirst(policy) }
    }

    /// Returns the findings since the last call, or nil while too little media was read without a gap.
    mutating func drainFindings(duration: Double, policy: HealthPolicy) -> [Finding]? {
        guard duration >= policy[.infoMinimumDuration], hasInfo || resumption == nil || !found.isEmpty else {
            return nil
        }
        defer { found = [] }
        return found
    }

    private mutating func checkFirst(_ policy: HealthPolicy) {
        let event = waiting.removeFirst()
        if !isReported { isReported = check(upTo: event.position, place: event.place, policy: policy) }
        if let unread = event.unread {
            pass(unread, to: event.position, policy)
        } else {
            isReported = false
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

    private mutating func check(upTo position: Double, place: Finding.Place, policy: HealthPolicy) -> Bool {
        let interval = position - origin
        guard Self.isLate(interval, policy) else { return false }
        let since =
            if let resumption {
                "\(SecondsText(interval)) without an INFO tag after media that was not read completely, "
                    + "at \(SecondsText(resumption)) of media"
            } else if hasInfo {
                "\(SecondsText(interval)) since the last INFO tag, at \(SecondsText(last)) of media"
            } else {
                "no INFO tag in the first \(SecondsText(interval)) of media"
            }
        found.append(Finding(status: .fail, place: place, detail: Self.detail(since, policy)))
        return true
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
