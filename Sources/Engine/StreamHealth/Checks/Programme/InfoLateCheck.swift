import NielsenID3

/// `info.late`: an INFO tag comes within 310 seconds of the one before it, or of the start.
struct InfoLateCheck: HealthCheck, Sendable {
    static let id = CheckID.infoLate
    static let absence = "Less programme was read than a verdict on INFO tags needs."
    static let limit: HealthLimit? = .infoInterval

    /// How many INFO tags may wait for another rendition; more are judged in the order in which they came.
    private static let capacity = 64

    private var waiting: [(position: Double, place: Finding.Place)] = []
    private var last = 0.0
    private var hasInfo = false
    private var isReported = false
    /// The findings that nobody took yet.
    private var found: [Finding] = []

    /// Notes an INFO tag at a place in the programme, in seconds of what was read.
    mutating func observe(at position: Double, place: Finding.Place, policy: HealthPolicy) {
        guard position.isFinite else { return }
        let index = waiting.firstIndex { $0.position > position } ?? waiting.endIndex
        waiting.insert((position, place), at: index)
        if waiting.count > Self.capacity { judgeFirst(policy) }
    }

    /// Says up to where all renditions of the programme were read.
    mutating func advance(to position: Double, place: Finding.Place, policy: HealthPolicy) {
        while let first = waiting.first, first.position <= position { judgeFirst(policy) }
        guard !isReported, waiting.isEmpty else { return }
        isReported = judge(upTo: position, place: place, policy: policy)
    }

    /// Judges the tags that still wait.
    mutating func finish(policy: HealthPolicy) {
        while !waiting.isEmpty { judgeFirst(policy) }
    }

    /// The findings since the last call; none while the programme is too short to judge.
    mutating func take(duration: Double, policy: HealthPolicy) -> [Finding]? {
        guard duration >= policy[.infoMinimumDuration] else { return nil }
        defer { found = [] }
        return found
    }

    private mutating func judgeFirst(_ policy: HealthPolicy) {
        let info = waiting.removeFirst()
        if !isReported { _ = judge(upTo: info.position, place: info.place, policy: policy) }
        isReported = false
        hasInfo = true
        last = max(last, info.position)
    }

    private mutating func judge(upTo position: Double, place: Finding.Place, policy: HealthPolicy) -> Bool {
        let limit = policy[.infoInterval]
        let interval = position - last
        guard interval > limit else { return false }
        let since =
            hasInfo
            ? "\(SecondsText(interval)) since the last INFO tag, at \(SecondsText(last)) of programme"
            : "no INFO tag in the first \(SecondsText(interval)) of programme"
        found.append(
            Finding(
                status: .fail, place: place,
                detail: "\(since): one is late after \(SecondsText(limit)) (clock: pts)"))
        return true
    }
}
