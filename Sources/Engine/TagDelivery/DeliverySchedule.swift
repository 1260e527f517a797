package import HostSystem
import TagStore

/// The times and sizes of batches, learned from the answers: a value type without a clock or network access.
///
/// | answer | what happens to the batch | what comes next |
/// | --- | --- | --- |
/// | received | accepted tags are deleted, rejected ones become dead letters | at once; the limit grows by a tenth |
/// | retry | kept | the same tags again after rand(0, min(300 s, 1 s × 2ⁿ)), at least Retry-After |
/// | tooLarge | kept; a single tag becomes a dead letter | half as many, at once |
/// | tooLarge, for a single tag under 4 kB | kept | a probe after 15 minutes |
/// | refused | kept; a single tag becomes a dead letter | half of the suspects, at once |
/// | ten tags in a row refused, and none received | as above | a probe with one tag after 15 minutes |
/// | unsupportedEncoding | kept | the next encoding, at once; after the last a hold |
/// | hold | kept | a probe after 15 minutes |
/// | abandoned | kept | as before |
///
/// Waits use the boot clock. Across a reboot they use the wall clock if it is known to be synchronized. No wait lasts
/// longer than planned. The published end of a wait is in milliseconds of Unix time, by a wall clock that may be set.
package struct DeliverySchedule: Sendable, Hashable {
    /// The state of the schedule.
    package enum State: Sendable, Hashable {
        /// A batch may be sent.
        case ready
        /// Waits after a temporary failure.
        case backingOff(until: Int64, reason: String)
        /// Waits for an operator to fix the cause, and probes occasionally.
        case holding(until: Int64, reason: String)
    }

    /// The action to take on the tags of an answered batch.
    package enum Action: Sendable, Hashable {
        /// Deletes the tags; those in `rejected` become dead letters.
        case forget(rejected: [CollectorReply.Rejection])
        /// Makes the only tag of the batch a dead letter.
        case deadLetter(code: String)
        /// Keeps all tags.
        case keep
    }

    /// The maximum number of tags in a batch.
    package static let maximumCount = 500
    /// The first and the last window of the back-off.
    static let firstWindow = Duration.seconds(1)
    static let lastWindow = Duration.seconds(300)
    /// The maximum Retry-After that is honored.
    static let maximumRetryAfter = Duration.seconds(3_600)
    /// The interval between probes in a hold.
    static let probeInterval = Duration.seconds(900)
    /// The size below which a collector accepts any single tag, so that a 413 for it must come from an intermediary.
    static let smallTagByteCount = 4_096
    /// The number of consecutive refused tags, with none received, after which the sink is doubted instead of the tags.
    static let maximumRefusalCount = 10

    /// The current state.
    package internal(set) var state: State = .ready
    /// The encoding of the next batch.
    package internal(set) var encoding: ContentEncoding = .zstd
    /// The number of consecutive failed attempts.
    package internal(set) var failureCount: Int = 0
    /// The maximum number of tags in the next batch, as learned from the sink.
    package internal(set) var limit = maximumCount
    /// The number of oldest tags that are known to include a bad one; 0 for none.
    package internal(set) var suspectCount = 0
    /// The size of the batch whose fate is unknown, which must be sent again with the same tags and the same key.
    package internal(set) var unansweredCount = 0
    /// When a batch was last received, in milliseconds of Unix time by this machine's clock; nil for never.
    package internal(set) var lastSuccess: Int64?
    /// The number of consecutive refused tags, with none received.
    package internal(set) var refusalCount = 0
    /// Whether the last receipt asked for records of kind `period`.
    package internal(set) var wantsPeriods = false
    /// When the sink was last doubted.
    ///
    /// For `probeInterval` from then on, no further tag becomes a dead letter, even if `tryNow` is called.
    var doubtStart: ClockReading?
    /// The planned length of the wait.
    var plannedWait = Duration.zero
    /// When the wait started; nil if there is none.
    var waitStart: ClockReading?

    /// Creates a schedule that has not learned anything yet.
    package init() {}

    /// The maximum number of tags to send next.
    package var nextCount: Int {
        if isSinkDoubted { return 1 }
        if suspectCount > 0 { return min(limit, max(1, suspectCount / 2)) }
        if unansweredCount > 0 { return min(limit, unansweredCount) }
        return limit
    }

    /// Whether so many consecutive tags were refused that the sink gets only one tag at a time.
    private var isSinkDoubted: Bool { refusalCount >= Self.maximumRefusalCount }

    /// The number of the next attempt, from 1.
    package var attempt: Int { failureCount + 1 }

    /// Returns the maximum number of tags to send after a batch of `count` tags, if that batch is received as a whole.
    func nextCount(afterReceiptOf count: Int) -> Int {
        var later = self
        later.succeed(count)
        return later.nextCount
    }

    /// Returns the remaining wait; zero if sending may start.
    package func remainingWait(now: ClockReading) -> Duration {
        guard state != .ready, let waitStart else { return .zero }
        return max(.zero, plannedWait - .milliseconds(now.milliseconds(since: waitStart)))
    }

    /// Learns from the answer to a batch and returns what to do with its tags.
    ///
    /// - Parameters:
    ///   - count: The number of tags in the batch.
    ///   - byteCount: The size of their lines before compression.
    mutating func learn(
        from answer: SinkAnswer, count: Int, byteCount: Int, now: ClockReading,
        using random: inout some RandomNumberGenerator
    ) -> Action {
        switch answer {
        case .received(let rejected, _):
            if count > 0, rejected.count == count { return refuse(rejected, now) }
            succeed(count)
            lastSuccess = now.wall
            return .forget(rejected: rejected)
        case .refused(let code):
            if count <= 1 { return refuseLone(code, now) }
            calm()
            suspectCount = count
            return .keep
        case .tooLarge:
            if count <= 1 {
                guard byteCount >= Self.smallTagByteCount else {
                    hold(
                        "a proxy refused a tag of \(byteCount) bytes as too large (status 413)",
                        nil, count, now)
                    return .keep
                }
                return refuseLone("too_large", now)
            }
            calm()
            limit = max(1, count / 2)
            return .keep
        case .unsupportedEncoding:
            guard let next = encoding.next else {
                hold("the collector supports none of our encodings", nil, count, now)
                return .keep
            }
            calm()
            encoding = next
            return .keep
        case .retry(let reason, let asked):
            backOff(reason, asked, count, now, &random)
            return .keep
        case .hold(let reason, let asked):
            hold(reason, asked, count, now)
            return .keep
        case .abandoned:
            unansweredCount = count
            return .keep
        }
    }

    /// Ends any wait, so that the next attempt is due now.
    mutating func tryNow() {
        state = .ready
        plannedWait = .zero
        waitStart = nil
    }

    // MARK: Steps

    /// Ends any wait and clears the failures, because the sink has answered.
    private mutating func calm() {
        state = .ready
        failureCount = 0
        unansweredCount = 0
        plannedWait = .zero
        waitStart = nil
    }

    private mutating func succeed(_ count: Int) {
        calm()
        refusalCount = 0
        doubtStart = nil
        limit = min(Self.maximumCount, limit + max(1, limit / 10))
        // The bad tag was not among these, so it is among the remaining suspects.
        suspectCount = max(0, suspectCount - count)
    }

    /// Handles a batch whose tags were all rejected one by one: trusts the rejections unless the sink is doubted.
    private mutating func refuse(_ rejected: [CollectorReply.Rejection], _ now: ClockReading) -> Action {
        if rejected.count == 1 { return refuseLone(rejected[0].code, now) }
        calm()
        suspectCount = 0
        countRefusals(rejected.count, now)
        return .forget(rejected: rejected)
    }

    /// Handles the refusal of a single tag.
    ///
    /// The tag becomes a dead letter, unless the sink is doubted and the next probe is not yet due.
    private mutating func refuseLone(_ code: String, _ now: ClockReading) -> Action {
        let left = doubtStart.map { Self.probeInterval - .milliseconds(now.milliseconds(since: $0)) } ?? .zero
        if isSinkDoubted, left > .zero {
            doubt(for: left, now)
            return .keep
        }
        calm()
        suspectCount = 0
        countRefusals(1, now)
        return .deadLetter(code: code)
    }

    private mutating func countRefusals(_ count: Int, _ now: ClockReading) {
        refusalCount = min(refusalCount + count, 1_000_000_000)
        guard isSinkDoubted else { return }
        doubtStart = now
        doubt(for: Self.probeInterval, now)
    }

    /// Holds for some time, during which no tag becomes a dead letter.
    private mutating func doubt(for wait: Duration, _ now: ClockReading) {
        failureCount = min(failureCount + 1, 1_000_000_000)
        unansweredCount = 0
        let until = begin(wait, now)
        state = .holding(until: until, reason: "all of the last \(refusalCount) tags were refused")
    }

    /// Starts a wait and returns its end by the wall clock.
    private mutating func begin(_ wait: Duration, _ now: ClockReading) -> Int64 {
        plannedWait = wait
        waitStart = now
        return now.wall &+ wait.milliseconds
    }

    private mutating func backOff(
        _ reason: String, _ asked: Duration?, _ count: Int, _ now: ClockReading,
        _ random: inout some RandomNumberGenerator
    ) {
        // 2⁹ s exceeds the last window; `failureCount` itself keeps growing.
        let window = min(Self.lastWindow, Self.firstWindow * (1 << min(failureCount, 9)))
        let jitter = Duration.milliseconds(Int64.random(in: 0...window.milliseconds, using: &random))
        fail(count)
        state = .backingOff(until: begin(max(Self.floor(asked), jitter), now), reason: reason)
    }

    private mutating func hold(_ reason: String, _ asked: Duration?, _ count: Int, _ now: ClockReading) {
        fail(count)
        state = .holding(until: begin(max(Self.floor(asked), Self.probeInterval), now), reason: reason)
    }

    private mutating func fail(_ count: Int) {
        failureCount = min(failureCount + 1, 1_000_000_000)
        unansweredCount = count
    }

    /// Returns the minimum wait, from the one that the sink asked for.
    private static func floor(_ asked: Duration?) -> Duration {
        min(max(.zero, asked ?? .zero), maximumRetryAfter)
    }
}
