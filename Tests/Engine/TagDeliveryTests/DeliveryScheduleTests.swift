import ByteReading
import HostSystem
import TagStore
import Testing

@testable import TagDelivery

@Suite struct DeliveryScheduleTests {
    private static let everyAnswer: [SinkAnswer] = [
        .received(rejected: []), .refused(code: "x"), .tooLarge, .unsupportedEncoding,
        .retry(reason: "r", notBefore: nil), .retry(reason: "r", notBefore: .seconds(7_200)),
        .retry(reason: "r", notBefore: .seconds(Int64.max)), .hold(reason: "h", notBefore: nil),
        .hold(reason: "h", notBefore: .seconds(Int64.max)), .abandoned,
    ]

    /// The schedules in every state that up to three answers lead to.
    private static var everySchedule: [DeliverySchedule] {
        var all: Set<DeliverySchedule> = [DeliverySchedule()]
        var random = highestFraction
        for _ in 0..<3 {
            for schedule in all {
                for answer in everyAnswer {
                    for count in [1, 2, 500] {
                        var next = schedule
                        _ = next.learn(
                            from: answer, count: count, byteCount: count * 740, now: .steady(start),
                            using: &random)
                        all.insert(next)
                    }
                }
            }
        }
        return Array(all)
    }

    /// The rules for every answer in every state.
    ///
    /// Tags are deleted or become dead letters only if the sink received or refused them. Every wait is bounded. The
    /// next batch has at least one tag and at most the limit.
    @Test func everyAnswer_inEveryState_upholdsInvariants() {
        let schedules = Self.everySchedule
        #expect(schedules.count > 100)
        var reached: Set<DeliverySchedule> = []
        for schedule in schedules {
            for answer in Self.everyAnswer {
                for count in [1, 2, 500] {
                    for random in [lowestFraction, highestFraction] {
                        var next = schedule
                        let action = learn(answer, count, &next, random)
                        switch (answer, action) {
                        case (.received, .forget(let rejected)): check(rejected.isEmpty, answer, schedule)
                        case (.refused, .deadLetter("x")): check(count == 1, answer, schedule)
                        case (.received, _), (_, .forget), (_, .deadLetter):
                            Issue.record("\(answer) led to \(action)")
                        case (.refused, .keep): check(count > 1, answer, schedule)
                        case (_, .keep): break
                        }
                        check(
                            (1...500).contains(next.nextCount) && next.nextCount <= next.limit, answer,
                            schedule)
                        check(next.attempt >= 1, answer, schedule)
                        let wait = next.remainingWait(now: .steady(start))
                        check((.zero ... .seconds(3_600)).contains(wait), answer, schedule)
                        switch answer {
                        case .tooLarge where count == 1: check(wait == .seconds(900), answer, schedule)
                        case .received, .refused, .tooLarge:
                            check(next.state == .ready && wait == .zero, answer, schedule)
                        case .hold: check(wait >= .seconds(900), answer, schedule)
                        default: break
                        }
                        reached.insert(next)
                    }
                }
            }
        }
        // The complete state survives a restart.
        for schedule in reached where DeliverySchedule(schedule.encoded(for: "s"), for: "s") != schedule {
            Issue.record("\(schedule) does not come back")
        }
    }

    /// Records an issue if the condition is false.
    ///
    /// There are a million checks, so a successful one must cost nothing.
    private func check(_ isTrue: Bool, _ answer: SinkAnswer, _ schedule: DeliverySchedule) {
        if !isTrue { Issue.record("\(answer) in \(schedule)") }
    }

    // MARK: Back-off

    @Test func backOff_hasFullJitterInAWindowThatDoublesToFiveMinutes() {
        let windows: [Int64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
        var schedule = DeliverySchedule()
        for (number, seconds) in windows.enumerated() {
            #expect(schedule.attempt == number + 1)
            var low = schedule
            learn(.retry(reason: "r", notBefore: nil), 9, &low, lowestFraction)
            #expect(low.remainingWait(now: .steady(start)) == .zero)
            learn(.retry(reason: "r", notBefore: nil), 9, &schedule, highestFraction)
            #expect(
                schedule.remainingWait(now: .steady(start)) == .seconds(seconds), "try \(number + 1)")
            #expect(schedule.state == .backingOff(until: start + seconds * 1_000, reason: "r"))
        }
        // There is no limit on attempts.
        for _ in 0..<10_000 { learn(.retry(reason: "r", notBefore: nil), 9, &schedule) }
        #expect(schedule.remainingWait(now: .steady(start)) == .seconds(300))
        learn(.received(rejected: []), 9, &schedule)
        #expect(schedule.attempt == 1 && schedule.state == .ready)
    }

    @Test(
        arguments: [
            (.zero, .zero), (.seconds(5), .seconds(5)), (.seconds(3_600), .seconds(3_600)),
            (.seconds(3_601), .seconds(3_600)), (.seconds(Int64.max), .seconds(3_600)),
        ] as [(Duration, Duration)])
    func retryAfter_isMinimumWait_upToAnHour(asked: Duration, wait: Duration) {
        var schedule = DeliverySchedule()
        learn(.retry(reason: "r", notBefore: asked), 9, &schedule, lowestFraction)
        #expect(schedule.remainingWait(now: .steady(start)) == wait)
        // If the jitter is longer, it applies.
        learn(.retry(reason: "r", notBefore: .milliseconds(10)), 9, &schedule, highestFraction)
        #expect(schedule.remainingWait(now: .steady(start)) == .seconds(2))
    }

    @Test func hold_isProbedEveryFifteenMinutes() {
        var schedule = DeliverySchedule()
        for _ in 0..<5 {
            learn(.hold(reason: "401", notBefore: nil), 9, &schedule)
            #expect(schedule.state == .holding(until: start + 900_000, reason: "401"))
        }
        learn(.hold(reason: "401", notBefore: .seconds(1_800)), 9, &schedule)
        #expect(schedule.remainingWait(now: .steady(start)) == .seconds(1_800))
    }

    @Test func batch_afterRetryHoldOrAbandon_hasSameCount() {
        var schedule = DeliverySchedule()
        for answer in [
            SinkAnswer.retry(reason: "r", notBefore: nil), .hold(reason: "h", notBefore: nil), .abandoned,
        ] {
            learn(answer, 37, &schedule)
            #expect(schedule.nextCount == 37)
        }
        learn(.received(rejected: []), 37, &schedule)
        #expect(schedule.nextCount == 500)
    }

    /// Within a boot, the wall clock is ignored.
    @Test(arguments: [0, -31_536_000_000, 31_536_000_000, .min / 2, .max / 2] as [Int64])
    func wallClockStep_doesNotChangeWait(step: Int64) {
        var schedule = DeliverySchedule()
        learn(.retry(reason: "r", notBefore: .seconds(60)), 9, &schedule, lowestFraction)
        let read = DeliverySchedule(schedule.encoded(for: "s"), for: "s")
        for (passed, left) in [(0, 60_000), (59_999, 1), (60_000, 0), (70_000, 0)] as [(Int64, Int64)] {
            let steady = ClockReading.steady(start + passed)
            let now = ClockReading(
                wall: steady.wall &+ step, boot: steady.boot, bootID: steady.bootID, isTrusted: true)
            #expect(read.remainingWait(now: now) == .milliseconds(left))
        }
    }

    /// After a reboot, the wall clock applies if it is trusted; otherwise, the time since the reboot applies.
    @Test func wait_acrossReboot_isNotExtended() {
        var schedule = DeliverySchedule()
        learn(.retry(reason: "r", notBefore: .seconds(60)), 9, &schedule, lowestFraction)
        func left(after wall: Int64, boot: Int64, isTrusted: Bool) -> Duration {
            schedule.remainingWait(
                now: ClockReading(
                    wall: start &+ wall, boot: boot, bootID: "another", isTrusted: isTrusted))
        }
        #expect(left(after: 50_000, boot: 10_000, isTrusted: true) == .seconds(10))
        #expect(left(after: 50_000, boot: 10_000, isTrusted: false) == .seconds(50))
        #expect(left(after: -.max / 2, boot: 10_000, isTrusted: true) == .seconds(50))
        #expect(left(after: .max / 4, boot: 0, isTrusted: false) == .seconds(60))
        #expect(left(after: .max / 4, boot: 0, isTrusted: true) == .zero)
    }

    @Test func tryNow_endsAnyWait() {
        var schedule = DeliverySchedule()
        learn(.retry(reason: "r", notBefore: .seconds(90)), 9, &schedule)
        schedule.tryNow()
        #expect(schedule.remainingWait(now: .steady(start)) == .zero)
        learn(.hold(reason: "h", notBefore: nil), 9, &schedule)
        schedule.tryNow()
        #expect(schedule.remainingWait(now: .steady(start)) == .zero)
    }

    // MARK: Size

    @Test func batchCount_halvesOnTooLarge_andGrowsByATenthOnSuccess() {
        var schedule = DeliverySchedule()
        var sizes: [Int] = []
        for _ in 0..<9 {
            sizes.append(schedule.nextCount)
            learn(.tooLarge, schedule.nextCount, &schedule)
        }
        #expect(sizes == [500, 250, 125, 62, 31, 15, 7, 3, 1])
        #expect(learn(.tooLarge, 1, &schedule, byteCount: 4_096) == .deadLetter(code: "too_large"))
        sizes = []
        for _ in 0..<12 {
            learn(.received(rejected: []), schedule.nextCount, &schedule)
            sizes.append(schedule.nextCount)
        }
        #expect(sizes == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        for _ in 0..<60 { learn(.received(rejected: []), schedule.nextCount, &schedule) }
        #expect(schedule.nextCount == 500)
    }

    /// A collector accepts any tag of the usual size, so this answer must come from an intermediary.
    @Test func tooLarge_forSingleSmallTag_holds() {
        var schedule = DeliverySchedule()
        #expect(learn(.tooLarge, 1, &schedule, byteCount: 4_095) == .keep)
        guard case .holding(start + 900_000, let reason) = schedule.state else {
            Issue.record("\(schedule.state)")
            return
        }
        #expect(reason.contains("413") && reason.contains("4095 bytes"))
        #expect(schedule.nextCount == 1)
        learn(.received(rejected: []), 1, &schedule)
        #expect(schedule.nextCount == 500)
    }

    // MARK: Refusals

    @Test func refusals_tenInARow_holdAndProbeWithSingleTags() {
        var schedule = DeliverySchedule()
        for number in 1...9 {
            #expect(learn(.refused(code: "bad_tag"), 1, &schedule) == .deadLetter(code: "bad_tag"))
            #expect(schedule.state == .ready && schedule.refusalCount == number)
        }
        #expect(learn(.refused(code: "bad_tag"), 1, &schedule) == .deadLetter(code: "bad_tag"))
        let minute: Int64 = 60_000
        guard case .holding(start + 15 * minute, let reason) = schedule.state else {
            Issue.record("\(schedule.state)")
            return
        }
        #expect(reason.contains("10 tags") && schedule.nextCount == 1)
        // An earlier attempt on request costs no tag and does not restart the wait.
        for early in [minute, 14 * minute] {
            schedule.tryNow()
            #expect(learn(.refused(code: "bad_tag"), 1, &schedule, now: start + early) == .keep)
            #expect(
                schedule.remainingWait(now: .steady(start + early)) == .milliseconds(15 * minute - early)
            )
            schedule = DeliverySchedule(schedule.encoded(for: "s"), for: "s")
        }
        // If the clock was set back, the wait is no longer than the probe interval.
        var back = schedule
        #expect(learn(.refused(code: "bad_tag"), 1, &back, now: start - 100 * minute) == .keep)
        #expect(back.remainingWait(now: .steady(start - 100 * minute)) == .seconds(900))
        let due = start + 15 * minute
        #expect(learn(.refused(code: "bad_tag"), 1, &schedule, now: due) == .deadLetter(code: "bad_tag"))
        #expect(schedule.remainingWait(now: .steady(due)) == .seconds(900))
        // A received tag ends the doubt.
        learn(.received(rejected: []), 1, &schedule, now: due + minute)
        #expect(schedule.nextCount == 500 && schedule.refusalCount == 0 && schedule.doubtStart == nil)
    }

    @Test func receipt_rejectingEveryTag_isTreatedAsConsecutiveRefusals() {
        let all = (1...500).map { CollectorReply.Rejection(id: TagID(high: 1, low: $0), code: "bad_tag") }
        var schedule = DeliverySchedule()
        #expect(learn(.received(rejected: all), 500, &schedule) == .forget(rejected: all))
        #expect(schedule.remainingWait(now: .steady(start)) == .seconds(900) && schedule.nextCount == 1)
        #expect(schedule.lastSuccess == nil)
        schedule.tryNow()
        let one = [all[0]]
        #expect(learn(.received(rejected: one), 1, &schedule, now: start + 1) == .keep)
        #expect(
            learn(.received(rejected: one), 1, &schedule, now: start + 900_000)
                == .deadLetter(code: "bad_tag"))
        // As long as the collector receives one of the tags, it is trusted.
        var believed = DeliverySchedule()
        for _ in 0..<20 {
            let most = Array(all[1...])
            #expect(learn(.received(rejected: most), 500, &believed) == .forget(rejected: most))
            #expect(believed.state == .ready)
        }
    }

    /// Only refusals reveal one or two poison tags at any position of a batch.
    ///
    /// Only these tags become dead letters, after few attempts.
    @Test func refusedBatch_isBisectedToThePoisonTags() {
        for total in [1, 2, 3, 7, 100, 500] {
            for place in Set((0..<total).filter { total < 101 || $0.isMultiple(of: 7) } + [total - 1]) {
                for other in Set([place, (place + 1) % total, (place + total / 2) % total]) {
                    let (dead, tries) = deliver(total: total, poison: [place, other])
                    #expect(dead == [place, other], "\(total): \(place), \(other)")
                    #expect(tries <= 60, "\(total): \(place), \(other)")
                }
            }
        }
    }

    private func deliver(total: Int, poison: Set<Int>) -> (dead: Set<Int>, tries: Int) {
        var schedule = DeliverySchedule()
        var queue = Array(0..<total)
        var dead: Set<Int> = []
        var tries = 0
        while !queue.isEmpty, tries < 1_000 {
            tries += 1
            let batch = Array(queue.prefix(schedule.nextCount))
            let isBad = batch.contains { poison.contains($0) }
            switch learn(isBad ? .refused(code: "bad") : .received(rejected: []), batch.count, &schedule) {
            case .forget: queue.removeFirst(batch.count)
            case .deadLetter:
                dead.formUnion(batch)
                queue.removeFirst(batch.count)
            case .keep: break
            }
        }
        return (dead, tries)
    }

    @Test func unsupportedEncoding_fallsBackToIdentity_thenHolds() {
        var schedule = DeliverySchedule()
        #expect(schedule.encoding == .zstd)
        learn(.unsupportedEncoding, 9, &schedule)
        #expect(schedule.encoding == .gzip && schedule.state == .ready)
        learn(.unsupportedEncoding, 9, &schedule)
        #expect(schedule.encoding == .identity && schedule.state == .ready)
        learn(.unsupportedEncoding, 9, &schedule)
        #expect(schedule.encoding == .identity)
        guard case .holding = schedule.state else {
            Issue.record("no hold")
            return
        }
    }
}
