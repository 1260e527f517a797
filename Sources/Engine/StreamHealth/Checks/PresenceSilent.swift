import ID3v2
package import NielsenID3
import TextForms

extension CheckID {
    /// `presence.silent`.
    package static let presenceSilent = CheckID("presence.silent")
}

extension HealthLimit {
    /// `presence.silent`: the maximum time without a DATA tag in a live stream.
    public static let silence = HealthLimit(
        "limit-silence", 30, "s",
        "presence.silent: maximum time without a DATA tag in a live stream")
}

/// `presence.silent`: DATA tags keep arriving in a live stream.
struct PresenceSilent: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .presenceSilent, worst: .fail, clock: .wall, limits: [.silence], rowLimit: .silence,
        notRun: "The input is recorded.",
        expectation: "In a live stream, DATA tags keep arriving",
        urgency: "now: viewers are not counted",
        title: "A live stream has had no tag for too long",
        meaning: """
            By the wall clock, no DATA tag has arrived for longer than the limit. While this lasts, viewers are not
            counted.
            """,
        appearance: """
            New segments arrive without DATA tags, or the segments fail to load, which the monitor also reports.
            While the playlist fails to load or is stale, no silence begins.
            """,
        cause: """
            From the end of the chain: the origin or packager has stopped; the encoder was changed or restarted without
            metadata passthrough; the inserter has stopped or lost its audio; or a long period without a watermark (a
            break, a slate, a sports event without commentary).
            """,
        action: """
            First check that the stream itself runs. Then check the inserter. If it makes tags, follow the chain with
            `dtvr check` to the hop that loses them; if it does not, check its audio input. If long periods without a
            watermark are normal on this channel, raise the limit.
            """,
        alerting: .init(
            .first,
            explainedBy: [
                .playlistHTTP, .playlistStale, .channelEnded, .segmentHTTP, .id3Malformed, .pmtDescriptors,
            ], judgesPresence: true))

    /// The events at which the measurement of a silence can begin.
    private enum Start {
        case begin, tag, expected
    }

    /// The time of the last DATA tag, or since which tags are expected.
    private var lastTime: SteadyTime
    /// The time since `lastTime` in which nothing could be read.
    private var excludedTime = 0.0
    private var start = Start.begin
    private var lastMove: SteadyTime
    /// The length of the present period in which nothing can be read, in seconds.
    private var blockedTime = 0.0

    /// Starts to expect tags at `time`.
    init(at time: SteadyTime = SteadyTime(seconds: 0)) {
        lastTime = time
        lastMove = time
    }

    /// Records a DATA tag that arrived at `time`.
    mutating func observeTag(at time: SteadyTime) {
        lastTime = max(lastTime, time)
        excludedTime = 0
        start = .tag
    }

    /// Begins to measure again, because the time so far has another explanation.
    mutating func hold(at time: SteadyTime) {
        start = .expected
        lastTime = max(lastTime, time)
        excludedTime = 0
    }

    /// Moves on to `time`, and excludes the time in which tags may be missing.
    ///
    /// - Parameters:
    ///   - isSilent: Whether a silence was reported, which lasts until the next DATA tag.
    ///   - isExcused: Whether the stream has no tags for a known reason, such as a break. The measurement begins again
    ///     after it.
    ///   - isBlocked: Whether nothing can be read. That time does not count. After as much as the limit, the
    ///     measurement begins again.
    mutating func move(
        to time: SteadyTime, isSilent: Bool, isExcused: Bool, isBlocked: Bool, policy: HealthPolicy
    ) {
        let passed = max(0, time - lastMove)
        lastMove = max(lastMove, time)
        blockedTime = isBlocked ? blockedTime + passed : 0
        guard !isSilent else { return }
        if isExcused || blockedTime >= policy[.silence] {
            hold(at: time)
        } else if isBlocked {
            excludedTime += passed
        }
    }

    /// Returns whether the limit has passed since the last DATA tag.
    func isOverLimit(at time: SteadyTime, policy: HealthPolicy) -> Bool {
        age(at: time) - excludedTime > policy[.silence]
    }

    /// Returns the seconds since the last DATA tag, or since tags were expected.
    func age(at time: SteadyTime) -> Double { max(0, time - lastTime) }

    /// Returns the text of a silence as of now.
    func text(at moment: ClockMoment, policy: HealthPolicy) -> String {
        let age = age(at: moment.steady)
        let from = (moment.wall - age).clockText
        let what =
            switch start {
            case .begin: "No DATA tag yet"
            case .tag: "No DATA tag since \(from)"
            case .expected: "No DATA tag since \(from), when tags were expected again"
            }
        let counted =
            excludedTime > 0 ? "; \(DurationText.age(age - excludedTime)) of it with a current playlist" : ""
        return "\(what) (\(DurationText.age(age))\(counted)), the limit is \(SecondsText(policy[.silence]))"
    }

    /// Returns the reason for the state of a silent channel whose last DATA tag arrived at `time`.
    static func reason(since time: WallTime?) -> String {
        time.map { "no DATA tag since \($0.clockText)" } ?? "no DATA tag yet"
    }
}
