/// When to send how much, learned from the answers: a value, without clock or network of its own.
///
/// | answer | what happens to the batch | what comes next |
/// | --- | --- | --- |
/// | received | all but the rejected are forgotten, the rejected go among the dead | at once; the limit grows by a tenth |
/// | retry | kept | the same tags again after rand(0, min(300 s, 1 s × 2ⁿ)), Retry-After being the floor |
/// | tooLarge | kept; a lone tag goes among the dead | half as many, at once |
/// | refused | kept; a lone tag goes among the dead | half of the suspects, at once |
/// | unsupportedEncoding | kept | the next encoding, at once; after the last a hold |
/// | hold | kept | a probe after 15 minutes |
/// | abandoned | kept | as before |
///
/// Times are milliseconds of Unix time by a clock that may be set: no wait lasts longer than it was meant to.
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
        /// All but these are forgotten; these go among the dead.
        case forget(rejected: [CollectorReply.Rejection])
        /// The batch's only tag goes among the dead.
        case bury(code: String)
        /// All stay.
        case keep
    }

    /// At most so many tags are in a batch.
    package static let maximumCount = 500
    /// What the window of the back-off begins with, and what it ends at.
    static let firstWindow: Int64 = 1_000
    static let lastWindow: Int64 = 300_000
    /// For how long a Retry-After is believed.
    static let maximumRetryAfter: Int64 = 3_600_000
    /// How often a hold is tried.
    static let probeInterval: Int64 = 900_000

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
    /// How long the wait was meant to be.
    var plannedWait: Int64 = 0
    /// Up to when even a hint does not end the wait: a Retry-After.
    var notBefore: Int64 = 0

    /// A schedule that knows nothing yet.
    package init() {}

    /// How many tags to send next, at most.
    package var nextCount: Int {
        if suspectCount > 0 { return min(limit, max(1, suspectCount / 2)) }
        if unansweredCount > 0 { return min(limit, unansweredCount) }
        return limit
    }

    /// Which try the next one is, from 1.
    package var attempt: Int { failureCount + 1 }

    /// How many tags to send after a batch of `count`, at most, if that is received as a whole.
    func nextCount(afterReceiptOf count: Int) -> Int {
        var later = self
        later.succeed(count)
        return later.nextCount
    }

    /// How many milliseconds are left to wait; 0 where sending may begin.
    package mutating func remainingWait(now: Int64) -> Int64 {
        let until: Int64
        switch state {
        case .ready: return 0
        case .backingOff(let time, _), .holding(let time, _): until = time
        }
        let left = until.subtractingReportingOverflow(now)
        guard left.overflow || left.partialValue > plannedWait else { return max(0, left.partialValue) }
        // The clock was set back: the wait begins again, and is no longer than it was meant to be.
        wait(plannedWait, from: now)
        notBefore = min(notBefore, now + plannedWait)
        return plannedWait
    }

    /// Takes note of the answer to a batch of `count` tags, and says what becomes of them.
    package mutating func take(
        _ answer: SinkAnswer, count: Int, now: Int64, using random: inout some RandomNumberGenerator
    ) -> Action {
        switch answer {
        case .received(let rejected, _):
            succeed(count)
            lastSuccess = now
            return .forget(rejected: rejected)
        case .refused(let code):
            calm()
            if count <= 1 {
                suspectCount = 0
                return .bury(code: code)
            }
            suspectCount = count
            return .keep
        case .tooLarge:
            calm()
            if count <= 1 {
                suspectCount = 0
                return .bury(code: "too_large")
            }
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

    /// Takes note of a hint that trying again may be worth it: a back-off ends within five seconds.
    ///
    /// Not before a time that the sink asked for, and a hold stays: a hint says nothing about either.
    package mutating func takeHint(now: Int64, using random: inout some RandomNumberGenerator) {
        guard case .backingOff(let until, let reason) = state else { return }
        let early = max(notBefore, now + Int64.random(in: 0...5_000, using: &random))
        guard early < until else { return }
        plannedWait = max(0, early - now)
        state = .backingOff(until: early, reason: reason)
    }

    /// Ends any wait: somebody asks for a try now.
    package mutating func tryNow() {
        state = .ready
        notBefore = 0
        plannedWait = 0
    }

    // MARK: Steps

    /// The sink is there and has judged: what was waited for is over.
    private mutating func calm() {
        state = .ready
        failureCount = 0
        unansweredCount = 0
        notBefore = 0
        plannedWait = 0
    }

    private mutating func succeed(_ count: Int) {
        calm()
        limit = min(Self.maximumCount, limit + max(1, limit / 10))
        // The bad one was not among these: it is in the rest of the suspects.
        suspectCount = max(0, suspectCount - count)
    }

    private mutating func backOff(
        _ reason: String, _ asked: Int64?, _ count: Int, _ now: Int64,
        _ random: inout some RandomNumberGenerator
    ) {
        // 2⁹ s is past the last window; the count itself goes on.
        let window = min(Self.lastWindow, Self.firstWindow << Int64(min(failureCount, 9)))
        let floor = min(max(0, asked ?? 0), Self.maximumRetryAfter)
        let delay = max(floor, Int64.random(in: 0...window, using: &random))
        failureCount = min(failureCount + 1, 1_000_000_000)
        unansweredCount = count
        notBefore = now + floor
        plannedWait = delay
        state = .backingOff(until: now + delay, reason: reason)
    }

    private mutating func hold(_ reason: String, _ asked: Int64?, _ count: Int, _ now: Int64) {
        let floor = min(max(0, asked ?? 0), Self.maximumRetryAfter)
        let delay = max(floor, Self.probeInterval)
        failureCount = min(failureCount + 1, 1_000_000_000)
        unansweredCount = count
        notBefore = now + floor
        plannedWait = delay
        state = .holding(until: now + delay, reason: reason)
    }

    private mutating func wait(_ delay: Int64, from now: Int64) {
        switch state {
        case .ready: break
        case .backingOff(_, let reason): state = .backingOff(until: now + delay, reason: reason)
        case .holding(_, let reason): state = .holding(until: now + delay, reason: reason)
        }
    }
}
