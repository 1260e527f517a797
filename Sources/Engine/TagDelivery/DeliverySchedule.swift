package import HostSystem
import TagStore

/// When to send how much, learned from the answers: a value, without clock or network of its own.
///
/// | answer | what happens to the batch | what comes next |
/// | --- | --- | --- |
/// | received | all but the rejected are forgotten, the rejected become dead letters | at once; the limit grows by a tenth |
/// | retry | kept | the same tags again after rand(0, min(300 s, 1 s × 2ⁿ)), Retry-After being the floor |
/// | tooLarge | kept; a lone tag becomes a dead letter | half as many, at once |
/// | tooLarge, for a lone tag under 4 kB | kept | a probe after 15 minutes |
/// | refused | kept; a lone tag becomes a dead letter | half of the suspects, at once |
/// | ten tags in a row refused, and none received | as above | a probe with one tag after 15 minutes |
/// | unsupportedEncoding | kept | the next encoding, at once; after the last a hold |
/// | hold | kept | a probe after 15 minutes |
/// | abandoned | kept | as before |
///
/// Waits go by the boot clock, and over a restart of the machine by the wall clock where somebody vouches for it; none lasts
/// longer than it was meant to. What is said of their ends is milliseconds of Unix time, by a wall clock that may be set.
package struct DeliverySchedule: Sendable, Hashable {
    /// What the uploader is about.
    package enum State: Sendable, Hashable {
        /// May send.
        case ready
        /// Waits after a failure that may pass by itself.
        case backingOff(until: Int64, reason: String)
        /// Waits for somebody to do something, and looks now and then.
        case holding(until: Int64, reason: String)
    }

    /// What is done with the tags of the batch that was answered.
    package enum Action: Sendable, Hashable {
        /// All but these are forgotten; these become dead letters.
        case forget(rejected: [CollectorReply.Rejection])
        /// The only tag of the batch becomes a dead letter.
        case deadLetter(code: String)
        /// All stay.
        case keep
    }

    /// At most so many tags are in a batch.
    package static let maximumCount = 500
    /// What the window of the back-off begins with, and what it ends at.
    static let firstWindow = Duration.seconds(1)
    static let lastWindow = Duration.seconds(300)
    /// For how long a Retry-After is believed.
    static let maximumRetryAfter = Duration.seconds(3_600)
    /// How often a hold is tried.
    static let probeInterval = Duration.seconds(900)
    /// A lone tag of fewer bytes is too large for no collector: somebody in between says so.
    static let smallTagByteCount = 4_096
    /// After so many tags in a row that were refused, with none received, the sink is doubted and not the tags.
    static let maximumRefusalCount = 10

    /// What it is about.
    package internal(set) var state: State = .ready
    /// How the next batch is encoded.
    package internal(set) var encoding: ContentEncoding = .zstd
    /// How many tries in a row have failed.
    package internal(set) var failureCount: Int = 0
    /// At most so many tags are sent at once, as far as the sink has let it be known.
    package internal(set) var limit = maximumCount
    /// So many of the oldest tags are known to have a bad one among them; 0 for none.
    package internal(set) var suspectCount = 0
    /// How many tags the batch had that nobody knows the fate of: they go again together, under the same key.
    package internal(set) var unansweredCount = 0
    /// When a batch was received last, in milliseconds of Unix time by this machine's clock; nil for never.
    package internal(set) var lastSuccess: Int64?
    /// How many tags in a row were refused, with none received.
    package internal(set) var refusalCount = 0
    /// Since when the sink is doubted: for `probeInterval` no further tag becomes a dead letter, whoever asks for a try.
    var doubtStart: ClockReading?
    /// How long the wait was meant to be.
    var plannedWait = Duration.zero
    /// When the wait began; nil where there is none.
    var waitStart: ClockReading?

    /// A schedule that knows nothing yet.
    package init() {}

    /// How many tags to send next, at most.
    package var nextCount: Int {
        if isSinkDoubted { return 1 }
        if suspectCount > 0 { return min(limit, max(1, suspectCount / 2)) }
        if unansweredCount > 0 { return min(limit, unansweredCount) }
        return limit
    }

    /// Whether the sink has refused so many tags in a row that it is asked with one at a time.
    private var isSinkDoubted: Bool { refusalCount >= Self.maximumRefusalCount }

    /// Which try the next one is, from 1.
    package var attempt: Int { failureCount + 1 }

    /// How many tags to send after a batch of `count`, at most, if that is received as a whole.
    func nextCount(afterReceiptOf count: Int) -> Int {
        var later = self
        later.succeed(count)
        return later.nextCount
    }

    /// How long there is left to wait; zero where sending may begin.
    package func remainingWait(now: ClockReading) -> Duration {
        guard state != .ready, let waitStart else { return .zero }
        return max(.zero, plannedWait - .milliseconds(now.milliseconds(since: waitStart)))
    }

    /// Learns from the answer to a batch, and says what becomes of its tags.
    ///
    /// - Parameters:
    ///   - count: how many tags the batch has.
    ///   - byteCount: what their lines take before compression.
    package mutating func learn(
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
                        "something in between refuses a tag of \(byteCount) bytes as too large (status 413)",
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
                hold("no encoding is known there", nil, count, now)
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

    /// Ends any wait: somebody asks for a try now.
    package mutating func tryNow() {
        state = .ready
        plannedWait = .zero
        waitStart = nil
    }

    // MARK: Steps

    /// The sink is there and has answered: what was waited for is over.
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
        // The bad one was not among these: it is in the rest of the suspects.
        suspectCount = max(0, suspectCount - count)
    }

    /// All tags of a batch were rejected one by one: that is believed, unless the sink is doubted.
    private mutating func refuse(_ rejected: [CollectorReply.Rejection], _ now: ClockReading) -> Action {
        if rejected.count == 1 { return refuseLone(rejected[0].code, now) }
        calm()
        suspectCount = 0
        countRefusals(rejected.count, now)
        return .forget(rejected: rejected)
    }

    /// A lone tag was refused: it becomes a dead letter, where the sink is not doubted or it is time for one more.
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

    /// Holds for some time, and gives no tag up before its end.
    private mutating func doubt(for wait: Duration, _ now: ClockReading) {
        failureCount = min(failureCount + 1, 1_000_000_000)
        unansweredCount = 0
        let until = begin(wait, now)
        state = .holding(until: until, reason: "the last \(refusalCount) tags were refused, each of them")
    }

    /// Begins a wait, and says when it ends by the wall clock.
    private mutating func begin(_ wait: Duration, _ now: ClockReading) -> Int64 {
        plannedWait = wait
        waitStart = now
        return now.wall &+ wait.milliseconds
    }

    private mutating func backOff(
        _ reason: String, _ asked: Duration?, _ count: Int, _ now: ClockReading,
        _ random: inout some RandomNumberGenerator
    ) {
        // 2⁹ s is past the last window; the count itself goes on.
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

    /// The least time to wait, of what a sink asked for.
    private static func floor(_ asked: Duration?) -> Duration {
        min(max(.zero, asked ?? .zero), maximumRetryAfter)
    }
}
