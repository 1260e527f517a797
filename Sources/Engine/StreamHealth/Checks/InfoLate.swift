package import NielsenID3

extension CheckID {
    /// `info.late`.
    package static let infoLate = CheckID("info.late")
}

extension HealthLimit {
    /// `info.late`: from one INFO tag to the next.
    public static let infoInterval = HealthLimit(
        "limit-info-interval", 310, "s",
        "info.late: from one INFO tag to the next")
    /// `info.late` is not run below this much media.
    public static let infoMinimumDuration = HealthLimit(
        "limit-info-minimum-duration", 360, "s",
        "info.late is not run below this much media")
}

/// `info.late`: an INFO tag comes within 310 seconds of the one before it, or of the start.
struct InfoLate: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .infoLate, worst: .fail, clock: .stream, limits: [.infoInterval, .infoMinimumDuration],
        rowLimit: .infoInterval,
        notRun: "Too little media was read to expect an INFO tag.",
        expectation: "INFO tags keep coming",
        title: "An INFO tag is late",
        meaning: """
            An inserter describes itself in an INFO tag every 300 s; more than 310 s have gone by without one. The
            DATA tags still count, but Nielsen cannot see which inserter made them.
            """,
        appearance: """
            DATA tags at the usual interval and no tag of kind `info` between them. A step of one in the sequence where it
            would have been means that it was made and lost.
            """,
        cause: """
            A filter on the way that passes DATA tags only or drops tags with null CIDs; a loss that happened to take
            the INFO tag; an inserter that is configured not to send them; or content that begins right after one.
            """,
        action: """
            If the sequence has a step there, look for the loss. If it has none, look at the inserter's setting.
            """)

    /// How many INFO tags may wait for another rendition; more are checked in the order in which they came.
    private static let capacity = 64

    private var waiting: [(position: Double, place: Finding.Place)] = []
    private var last = 0.0
    private var hasInfo = false
    private var isReported = false
    /// The findings that nobody took yet.
    private var found: [Finding] = []

    /// Notes an INFO tag at a media time, in seconds of what was read.
    mutating func observe(at position: Double, place: Finding.Place, policy: HealthPolicy) {
        guard position.isFinite else { return }
        let index = waiting.firstIndex { $0.position > position } ?? waiting.endIndex
        waiting.insert((position, place), at: index)
        if waiting.count > Self.capacity { checkFirst(policy) }
    }

    /// Says up to where all renditions of the unit were read.
    mutating func advance(to position: Double, place: Finding.Place, policy: HealthPolicy) {
        while let first = waiting.first, first.position <= position { checkFirst(policy) }
        guard !isReported, waiting.isEmpty else { return }
        isReported = check(upTo: position, place: place, policy: policy)
    }

    /// Checks the tags that still wait.
    mutating func finish(policy: HealthPolicy) {
        while !waiting.isEmpty { checkFirst(policy) }
    }

    /// The findings since the last call; none while what was read is too short to check.
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
        let limit = policy[.infoInterval]
        let interval = position - last
        guard interval > limit else { return false }
        let since =
            hasInfo
            ? "\(SecondsText(interval)) since the last INFO tag, at \(SecondsText(last)) of media"
            : "no INFO tag in the first \(SecondsText(interval)) of media"
        found.append(
            Finding(
                status: .fail, place: place,
                detail: "\(since): one is late after \(SecondsText(limit)) (clock: pts)"))
        return true
    }
}
