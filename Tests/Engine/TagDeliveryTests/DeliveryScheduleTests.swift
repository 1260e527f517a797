import ByteReading
import HostSystem
import TagStore
import Testing

@testable import TagDelivery

@Suite struct DeliveryScheduleTests {
    /// Numbers that a test knows: always the same fraction of the range.
    private struct Fraction: RandomNumberGenerator {
        let bits: UInt64
        mutating func next() -> UInt64 { bits }
    }

    // Not 0, which the standard library draws again and again where the range is no power of two.
    private static let lowest = Fraction(bits: 1 << 32)
    private static let highest = Fraction(bits: .max)
    private static let start: Int64 = 1_795_000_000_000

    @discardableResult
    private func take(
        _ answer: SinkAnswer, _ count: Int, _ schedule: inout DeliverySchedule, now: Int64 = start,
        _ random: Fraction = highest, byteCount: Int? = nil
    ) -> DeliverySchedule.Action {
        var random = random
        return schedule.learn(
            from: answer, count: count, byteCount: byteCount ?? count * 740, now: .steady(now), using: &random
        )
    }

    private static let everyAnswer: [SinkAnswer] = [
        .received(rejected: []), .refused(code: "x"), .tooLarge, .unsupportedEncoding,
        .retry(reason: "r", notBefore: nil), .retry(reason: "r", notBefore: .seconds(7_200)),
        .retry(reason: "r", notBefore: .seconds(Int64.max)), .hold(reason: "h", notBefore: nil),
        .hold(reason: "h", notBefore: .seconds(Int64.max)), .abandoned,
    ]

    /// Schedules in every state that answers lead to, three answers deep.
    private static var everySchedule: [DeliverySchedule] {
        var all: Set<DeliverySchedule> = [DeliverySchedule()]
        var random = highest
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

    /// What holds in every state for every answer: nothing is forgotten or set aside but by a verdict, every
    /// wait is bounded, and what is sent next is at least one tag and at most the limit.
    @Test func everyAnswer_inEveryState_keepsThePromises() {
        let schedules = Self.everySchedule
        #expect(schedules.count > 100)
        var reached: Set<DeliverySchedule> = []
        for schedule in schedules {
            for answer in Self.everyAnswer {
                for count in [1, 2, 500] {
                    for random in [Self.lowest, Self.highest] {
                        var next = schedule
                        let action = take(answer, count, &next, random)
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
                        let wait = next.remainingWait(now: .steady(Self.start))
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
        // Whatever is known survives a restart.
        for schedule in reached where DeliverySchedule(schedule.encoded(for: "s"), for: "s") != schedule {
            Issue.record("\(schedule) does not come back")
        }
    }

    /// Costs nothing where it holds: there are a million of them.
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
            take(.retry(reason: "r", notBefore: nil), 9, &low, Self.lowest)
            #expect(low.remainingWait(now: .steady(Self.start)) == .zero)
            take(.retry(reason: "r", notBefore: nil), 9, &schedule, Self.highest)
            #expect(
                schedule.remainingWait(now: .steady(Self.start)) == .seconds(seconds), "try \(number + 1)")
            #expect(schedule.state == .backingOff(until: Self.start + seconds * 1_000, reason: "r"))
        }
        // No limit on tries.
        for _ in 0..<10_000 { take(.retry(reason: "r", notBefore: nil), 9, &schedule) }
        #expect(schedule.remainingWait(now: .steady(Self.start)) == .seconds(300))
        take(.received(rejected: []), 9, &schedule)
        #expect(schedule.attempt == 1 && schedule.state == .ready)
    }

    @Test(
        arguments: [
            (.zero, .zero), (.seconds(5), .seconds(5)), (.seconds(3_600), .seconds(3_600)),
            (.seconds(3_601), .seconds(3_600)), (.seconds(Int64.max), .seconds(3_600)),
        ] as [(Duration, Duration)])
    func retryAfter_isTheFloorUpToAnHour(asked: Duration, wait: Duration) {
        var schedule = DeliverySchedule()
        take(.retry(reason: "r", notBefore: asked), 9, &schedule, Self.lowest)
        #expect(schedule.remainingWait(now: .steady(Self.start)) == wait)
        // Where the jitter is longer, it counts.
        take(.retry(reason: "r", notBefore: .milliseconds(10)), 9, &schedule, Self.highest)
        #expect(schedule.remainingWait(now: .steady(Self.start)) == .seconds(2))
    }

    @Test func hold_isProbedEveryFifteenMinutes() {
        var schedule = DeliverySchedule()
        for _ in 0..<5 {
            take(.hold(reason: "401", notBefore: nil), 9, &schedule)
            #expect(schedule.state == .holding(until: Self.start + 900_000, reason: "401"))
        }
        take(.hold(reason: "401", notBefore: .seconds(1_800)), 9, &schedule)
        #expect(schedule.remainingWait(now: .steady(Self.start)) == .seconds(1_800))
    }

    @Test func sameTags_goAgainTogether() {
        var schedule = DeliverySchedule()
        for answer in [
            SinkAnswer.retry(reason: "r", notBefore: nil), .hold(reason: "h", notBefore: nil), .abandoned,
        ] {
            take(answer, 37, &schedule)
            #expect(schedule.nextCount == 37)
        }
        take(.received(rejected: []), 37, &schedule)
        #expect(schedule.nextCount == 500)
    }

    /// Within a boot the wall clock says nothing, whatever it says.
    @Test(arguments: [0, -31_536_000_000, 31_536_000_000, .min / 2, .max / 2] as [Int64])
    func clock_thatIsSet_changesNoWait(step: Int64) {
        var schedule = DeliverySchedule()
        take(.retry(reason: "r", notBefore: .seconds(60)), 9, &schedule, Self.lowest)
        let read = DeliverySchedule(schedule.encoded(for: "s"), for: "s")
        for (passed, left) in [(0, 60_000), (59_999, 1), (60_000, 0), (70_000, 0)] as [(Int64, Int64)] {
            let steady = ClockReading.steady(Self.start + passed)
            let now = ClockReading(
                wall: steady.wall &+ step, boot: steady.boot, bootID: steady.bootID, isTrusted: true)
            #expect(read.remainingWait(now: now) == .milliseconds(left))
        }
    }

    /// Over a restart of the machine the wall clock counts while somebody vouches for it; where nobody does, the time since the
    /// restart.
    @Test func wait_overARestartOfTheMachine_isNoLongerThanItWasMeantToBe() {
        var schedule = DeliverySchedule()
        take(.retry(reason: "r", notBefore: .seconds(60)), 9, &schedule, Self.lowest)
        func left(after wall: Int64, boot: Int64, isTrusted: Bool) -> Duration {
            schedule.remainingWait(
                now: ClockReading(
                    wall: Self.start &+ wall, boot: boot, bootID: "another", isTrusted: isTrusted))
        }
        #expect(left(after: 50_000, boot: 10_000, isTrusted: true) == .seconds(10))
        #expect(left(after: 50_000, boot: 10_000, isTrusted: false) == .seconds(50))
        #expect(left(after: -.max / 2, boot: 10_000, isTrusted: true) == .seconds(50))
        #expect(left(after: .max / 4, boot: 0, isTrusted: false) == .seconds(60))
        #expect(left(after: .max / 4, boot: 0, isTrusted: true) == .zero)
    }

    @Test func tryNow_endsAnyWait() {
        var schedule = DeliverySchedule()
        take(.retry(reason: "r", notBefore: .seconds(90)), 9, &schedule)
        schedule.tryNow()
        #expect(schedule.remainingWait(now: .steady(Self.start)) == .zero)
        take(.hold(reason: "h", notBefore: nil), 9, &schedule)
        schedule.tryNow()
        #expect(schedule.remainingWait(now: .steady(Self.start)) == .zero)
    }

    // MARK: Size

    @Test func tooLarge_halvesAndSuccessGrowsByATenth() {
        var schedule = DeliverySchedule()
        var sizes: [Int] = []
        for _ in 0..<9 {
            sizes.append(schedule.nextCount)
            take(.tooLarge, schedule.nextCount, &schedule)
        }
        #expect(sizes == [500, 250, 125, 62, 31, 15, 7, 3, 1])
        #expect(take(.tooLarge, 1, &schedule, byteCount: 4_096) == .deadLetter(code: "too_large"))
        sizes = []
        for _ in 0..<12 {
            take(.received(rejected: []), schedule.nextCount, &schedule)
            sizes.append(schedule.nextCount)
        }
        #expect(sizes == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        for _ in 0..<60 { take(.received(rejected: []), schedule.nextCount, &schedule) }
        #expect(schedule.nextCount == 500)
    }

    /// A tag of the usual size is too large for nobody who knows tags.
    @Test func tooLarge_forALoneSmallTag_holds() {
        var schedule = DeliverySchedule()
        #expect(take(.tooLarge, 1, &schedule, byteCount: 4_095) == .keep)
        guard case .holding(Self.start + 900_000, let reason) = schedule.state else {
            Issue.record("\(schedule.state)")
            return
        }
        #expect(reason.contains("413") && reason.contains("4095 bytes"))
        #expect(schedule.nextCount == 1)
        take(.received(rejected: []), 1, &schedule)
        #expect(schedule.nextCount == 500)
    }

    // MARK: Refusals

    @Test func refusals_tenInARow_doubtTheSinkAndNotTheTags() {
        var schedule = DeliverySchedule()
        for number in 1...9 {
            #expect(take(.refused(code: "bad_tag"), 1, &schedule) == .deadLetter(code: "bad_tag"))
            #expect(schedule.state == .ready && schedule.refusalCount == number)
        }
        #expect(take(.refused(code: "bad_tag"), 1, &schedule) == .deadLetter(code: "bad_tag"))
        let minute: Int64 = 60_000
        guard case .holding(Self.start + 15 * minute, let reason) = schedule.state else {
            Issue.record("\(schedule.state)")
            return
        }
        #expect(reason.contains("10 tags") && schedule.nextCount == 1)
        // Somebody asks for a try before that: it costs no tag, and the time does not begin again.
        for early in [minute, 14 * minute] {
            schedule.tryNow()
            #expect(take(.refused(code: "bad_tag"), 1, &schedule, now: Self.start + early) == .keep)
            #expect(
                schedule.remainingWait(now: .steady(Self.start + early)) == .milliseconds(15 * minute - early)
            )
            schedule = DeliverySchedule(schedule.encoded(for: "s"), for: "s")
        }
        // A clock that was set back waits no longer than a probe's time.
        var back = schedule
        #expect(take(.refused(code: "bad_tag"), 1, &back, now: Self.start - 100 * minute) == .keep)
        #expect(back.remainingWait(now: .steady(Self.start - 100 * minute)) == .seconds(900))
        let due = Self.start + 15 * minute
        #expect(take(.refused(code: "bad_tag"), 1, &schedule, now: due) == .deadLetter(code: "bad_tag"))
        #expect(schedule.remainingWait(now: .steady(due)) == .seconds(900))
        // One that is received ends the doubt.
        take(.received(rejected: []), 1, &schedule, now: due + minute)
        #expect(schedule.nextCount == 500 && schedule.refusalCount == 0 && schedule.doubtStart == nil)
    }

    @Test func receipts_thatRejectEveryTag_areOneRowOfRefusals() {
        let all = (1...500).map { CollectorReply.Rejection(id: TagID(high: 1, low: $0), code: "bad_tag") }
        var schedule = DeliverySchedule()
        #expect(take(.received(rejected: all), 500, &schedule) == .forget(rejected: all))
        #expect(schedule.remainingWait(now: .steady(Self.start)) == .seconds(900) && schedule.nextCount == 1)
        #expect(schedule.lastSuccess == nil)
        schedule.tryNow()
        let one = [all[0]]
        #expect(take(.received(rejected: one), 1, &schedule, now: Self.start + 1) == .keep)
        #expect(
            take(.received(rejected: one), 1, &schedule, now: Self.start + 900_000)
                == .deadLetter(code: "bad_tag"))
        // As long as one of them is received, the collector is believed.
        var believed = DeliverySchedule()
        for _ in 0..<20 {
            let most = Array(all[1...])
            #expect(take(.received(rejected: most), 500, &believed) == .forget(rejected: most))
            #expect(believed.state == .ready)
        }
    }

    /// One and two poison tags at every place of a batch, found by nothing but refusals: only they are set aside,
    /// in few tries.
    @Test func refused_bisectsToThePoisonAtEveryPlace() {
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
            switch take(isBad ? .refused(code: "bad") : .received(rejected: []), batch.count, &schedule) {
            case .forget: queue.removeFirst(batch.count)
            case .deadLetter:
                dead.formUnion(batch)
                queue.removeFirst(batch.count)
            case .keep: break
            }
        }
        return (dead, tries)
    }

    @Test func encoding_goesDownAndThenHolds() {
        var schedule = DeliverySchedule()
        #expect(schedule.encoding == .zstd)
        take(.unsupportedEncoding, 9, &schedule)
        #expect(schedule.encoding == .gzip && schedule.state == .ready)
        take(.unsupportedEncoding, 9, &schedule)
        #expect(schedule.encoding == .identity && schedule.state == .ready)
        take(.unsupportedEncoding, 9, &schedule)
        #expect(schedule.encoding == .identity)
        guard case .holding = schedule.state else {
            Issue.record("no hold")
            return
        }
    }

    // MARK: The record

    @Test func lastSuccess_isKeptOverFailuresAndRestarts() throws {
        var schedule = DeliverySchedule()
        #expect(DeliverySchedule(forAnySink: schedule.encoded(for: "s"))?.lastSuccess == nil)
        take(.received(rejected: []), 9, &schedule)
        take(.hold(reason: "status 401", notBefore: nil), 9, &schedule, now: Self.start + 60_000)
        let read = try #require(DeliverySchedule(forAnySink: schedule.encoded(for: "whichever")))
        #expect(read.lastSuccess == Self.start)
        #expect(read.state == .holding(until: Self.start + 960_000, reason: "status 401"))
        #expect(DeliverySchedule(forAnySink: []) == nil)
    }

    @Test func record_truncatedOrChangedAnywhere_isANewScheduleOrAValidOne() {
        var schedule = DeliverySchedule()
        for answer in [
            SinkAnswer.tooLarge, .unsupportedEncoding, .retry(reason: "späť", notBefore: .seconds(9)),
        ] {
            take(answer, 400, &schedule)
        }
        let record = schedule.encoded(for: "https://c/")
        #expect(DeliverySchedule(record, for: "https://c/") == schedule)
        #expect(DeliverySchedule(record, for: "https://d/") == DeliverySchedule())
        for count in 0..<record.count {
            #expect(DeliverySchedule(Array(record[..<count]), for: "https://c/") == DeliverySchedule())
        }
        for index in record.indices {
            for value in [0, 1, 2, 0x2D, 0x30, 0x39, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = record
                changed[index] = value
                let read = DeliverySchedule(changed, for: "https://c/")
                #expect((1...500).contains(read.nextCount))
                #expect((.zero ... .seconds(3_600)).contains(read.remainingWait(now: .steady(Self.start))))
            }
        }
    }

    /// A status has room for it, whatever the reason is.
    @Test(arguments: ["é", "\u{1}", "\\", "\u{1F600}"]) func record_ofALongReason_keepsItsBound(
        _ text: String
    ) {
        var schedule = DeliverySchedule()
        take(.hold(reason: String(repeating: text, count: 5_000), notBefore: nil), 9, &schedule)
        let record = schedule.encoded(for: "s")
        #expect(record.count <= 1_536)
        let read = DeliverySchedule(record, for: "s")
        #expect(read.remainingWait(now: .steady(Self.start)) == .seconds(900))
    }
}

extension ClockReading {
    /// In one boot, with a wall clock that nobody sets.
    fileprivate static func steady(_ wall: Int64) -> ClockReading {
        ClockReading(wall: wall, boot: wall - 1_794_000_000_000, bootID: "boot", isTrusted: true)
    }
}
