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
            tags still count, but Nielsen cannot see which inserter made them.
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
            """)

    /// The maximum number of INFO tags that wait for another rendition.
    ///
    /// Beyond it, the earliest waiting tag is checked immediately.
    private static let capacity = 64

    private var waiting: [(position: Double, place: Finding.Place)] = []
    /// The position of the last INFO tag in the media, or of the start without one.
    private var last = 0.0
    private var hasInfo = false
    /// The end of the live media so far.
    private var end = 0.0
    private var isReported = false
    /// The findings since the last `drainFindings(duration:policy:)`.
    private var found: [Finding] = []

    /// Adds an INFO tag at a position in the media, in seconds.
    mutating func observe(at position: Double, place: Finding.Place, policy: HealthPolicy) {
        guard position.isFinite else { return }
        let index = waiting.firstIndex { $0.position > position } ?? waiting.endIndex
        waiting.insert((position, place), at: index)
        if waiting.count > Self.capacity { checkFirst(policy) }
    }

    /// Reports that all renditions of the unit were read up to `position`.
    mutating func advance(to position: Double, place: Finding.Place, policy: HealthPolicy) {
        while let first = waiting.first, first.position <= position { checkFirst(policy) }
        guard !isReported, waiting.isEmpty else { return }
        isReported = check(upTo: position, place: place, policy: policy)
    }

    /// Checks the tags that are still waiting.
    mutating func finish(policy: HealthPolicy) {
        while !waiting.isEmpty { checkFirst(policy) }
    }

    /// Returns the findings since the last call, or nil while the media is too short to check.
    mutating func drainFindings(duration: Double, policy: HealthPolicy) -> [Finding]? {
        guard duration >= policy[.infoMinimumDuration] else { return nil }
        defer { found = [] }
        return found
    }

    private mutating func checkFirst(_ policy: HealthPolicy) {
        let info = waiting.removeFirst()
        if !isReported { _ = check(upTo: info.position, place: info.place, policy: policy) }
        isReported = false
        hasInfo = true
        last = max(last, info.position)
    }

    private mutating func check(upTo position: Double, place: Finding.Place, policy: HealthPolicy) -> Bool {
        let interval = position - last
        guard Self.isLate(interval, policy) else { return false }
        let since =
            hasInfo
            ? "\(SecondsText(interval)) since the last INFO tag, at \(SecondsText(last)) of media"
            : "no INFO tag in the first \(SecondsText(interval)) of media"
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
    /// Checks live media up to the end of a segment of `length` seconds; not run while the media is too short.
    mutating func check(after length: Double, hasInfo isThere: Bool, policy: HealthPolicy) -> CheckResult {
        end += length
        if isThere {
            last = end
            hasInfo = true
        }
        guard end >= policy[.infoMinimumDuration] else { return .notRun }
        let interval = end - last
        guard Self.isLate(interval, policy) else { return .pass }
        let since = hasInfo ? "since the last INFO tag" : "without an INFO tag"
        return .violation(.fail, Self.detail("\(SecondsText(interval)) of media \(since)", policy))
    }

    /// Discards the live media so far, which may have replaced an INFO tag.
    mutating func restart() { self = InfoLate() }
}
