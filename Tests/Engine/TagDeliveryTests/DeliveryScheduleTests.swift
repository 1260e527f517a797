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
        _ random: Fraction = highest
    ) -> DeliverySchedule.Action {
        var random = random
        return schedule.take(answer, count: count, now: now, using: &random)
    }

    private static let everyAnswer: [SinkAnswer] = [
        .received(rejected: []), .refused(code: "x"), .tooLarge, .unsupportedEncoding,
        .retry(reason: "r", notBefore: nil), .retry(reason: "r", notBefore: 7_200_000),
        .retry(reason: "r", notBefore: .max), .hold(reason: "h", notBefore: nil),
        .hold(reason: "h", notBefore: .max), .abandoned,
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
                        _ = next.take(answer, count: count, now: start, using: &random)
                        all.insert(next)
                    }
                }
            }
        }
        return Array(all)
    }

    /// What holds in every state for every answer: nothing is forgotten or buried but by a judgement, every
    /// wait is bounded, and what is sent next is at least one tag and at most the limit.
    @Test func everyAnswer_inEveryState_keepsThePromises() {
        let schedules = Self.everySchedule
        #expect(schedules.count > 100)
        for schedule in schedules {
            for answer in Self.everyAnswer {
                for count in [1, 2, 500] {
                    for random in [Self.lowest, Self.highest] {
                        var next = schedule
                        let action = take(answer, count, &next, random)
                        switch (answer, action) {
                        case (.received, .forget(let rejected)): check(rejected.isEmpty, answer, schedule)
                        case (.refused, .bury("x")), (.tooLarge, .bury("too_large")):
                            check(count == 1, answer, schedule)
                        case (.received, _), (_, .forget), (_, .bury):
                            Issue.record("\(answer) led to \(action)")
                        case (.refused, .keep), (.tooLarge, .keep): check(count > 1, answer, schedule)
                        case (_, .keep): break
                        }
                        check(
                            (1...500).contains(next.nextCount) && next.nextCount <= next.limit, answer,
                            schedule)
                        check(next.attempt >= 1, answer, schedule)
                        let wait = next.remainingWait(now: Self.start)
                        check((0...3_600_000).contains(wait), answer, schedule)
                        switch answer {
                        case .received, .refused, .tooLarge:
                            check(next.state == .ready && wait == 0, answer, schedule)
                        case .hold: check(wait >= 900_000, answer, schedule)
                        default: break
                        }
                        // Whatever is known survives a restart.
                        check(DeliverySchedule(next.encoded(for: "s"), for: "s") == next, answer, schedule)
                    }
                }
            }
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
            #expect(low.remainingWait(now: Self.start) == 0)
            take(.retry(reason: "r", notBefore: nil), 9, &schedule, Self.highest)
            #expect(schedule.remainingWait(now: Self.start) == seconds * 1_000, "try \(number + 1)")
            #expect(schedule.state == .backingOff(until: Self.start + seconds * 1_000, reason: "r"))
        }
        // No limit on tries.
        for _ in 0..<10_000 { take(.retry(reason: "r", notBefore: nil), 9, &schedule) }
        #expect(schedule.remainingWait(now: Self.start) == 300_000)
        take(.received(rejected: []), 9, &schedule)
        #expect(schedule.attempt == 1 && schedule.state == .ready)
    }

    @Test(
        arguments: [
            (0, 0), (5_000, 5_000), (3_600_000, 3_600_000), (3_600_001, 3_600_000), (Int64.max, 3_600_000),
        ] as [(Int64, Int64)])
    func retryAfter_isTheFloorUpToAnHour(asked: Int64, wait: Int64) {
        var schedule = DeliverySchedule()
        take(.retry(reason: "r", notBefore: asked), 9, &schedule, Self.lowest)
        #expect(schedule.remainingWait(now: Self.start) == wait)
        // Where the jitter is longer, it counts.
        take(.retry(reason: "r", notBefore: 10), 9, &schedule, Self.highest)
        #expect(schedule.remainingWait(now: Self.start) == 2_000)
    }

    @Test func hold_isProbedEveryFifteenMinutes() {
        var schedule = DeliverySchedule()
        for _ in 0..<5 {
            take(.hold(reason: "401", notBefore: nil), 9, &schedule)
            #expect(schedule.state == .holding(until: Self.start + 900_000, reason: "401"))
        }
        take(.hold(reason: "401", notBefore: 1_800_000), 9, &schedule)
        #expect(schedule.remainingWait(now: Self.start) == 1_800_000)
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

    @Test func clock_setBackOrForth_neverMakesAWaitLonger() {
        var schedule = DeliverySchedule()
        take(.retry(reason: "r", notBefore: 60_000), 9, &schedule, Self.lowest)
        let year: Int64 = 31_536_000_000
        for step in [-year, -1, -10 * year] {
            var set = schedule
            #expect(set.remainingWait(now: Self.start + step) == 60_000)
            #expect(set.remainingWait(now: Self.start + step + 59_999) == 1)
            #expect(set.remainingWait(now: Self.start + step + 60_000) == 0)
        }
        #expect(schedule.remainingWait(now: Self.start + year) == 0)
        #expect(schedule.remainingWait(now: .max) == 0)
        var far = schedule
        #expect(far.remainingWait(now: .min / 2) == 60_000)
    }

    @Test func hint_shortensABackOffAndNothingElse() {
        var random = Self.highest
        var schedule = DeliverySchedule()
        for _ in 0..<9 { take(.retry(reason: "r", notBefore: nil), 9, &schedule) }
        #expect(schedule.remainingWait(now: Self.start) == 256_000)
        schedule.takeHint(now: Self.start, using: &random)
        #expect(schedule.remainingWait(now: Self.start) == 5_000)
        schedule.takeHint(now: Self.start, using: &random)
        #expect(schedule.remainingWait(now: Self.start) == 5_000)
        // Not below what the server asked for.
        take(.retry(reason: "r", notBefore: 90_000), 9, &schedule)
        schedule.takeHint(now: Self.start, using: &random)
        #expect(schedule.remainingWait(now: Self.start) == 90_000)
        take(.hold(reason: "h", notBefore: nil), 9, &schedule)
        schedule.takeHint(now: Self.start, using: &random)
        #expect(schedule.remainingWait(now: Self.start) == 900_000)
        schedule.tryNow()
        #expect(schedule.remainingWait(now: Self.start) == 0)
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
        #expect(take(.tooLarge, 1, &schedule) == .bury(code: "too_large"))
        sizes = []
        for _ in 0..<12 {
            take(.received(rejected: []), schedule.nextCount, &schedule)
            sizes.append(schedule.nextCount)
        }
        #expect(sizes == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        for _ in 0..<60 { take(.received(rejected: []), schedule.nextCount, &schedule) }
        #expect(schedule.nextCount == 500)
    }

    /// One and two poison tags at every place of a batch, found by nothing but refusals: only they are buried,
    /// in few tries.
    @Test func refused_bisectsToThePoisonAtEveryPlace() {
        for total in [1, 2, 3, 7, 100, 500] {
            for place in Set((0..<total).filter { total < 101 || $0.isMultiple(of: 7) } + [total - 1]) {
                for other in Set([place, (place + 1) % total, (place + total / 2) % total]) {
                    let (buried, tries) = deliver(total: total, poison: [place, other])
                    #expect(buried == [place, other], "\(total): \(place), \(other)")
                    #expect(tries <= 60, "\(total): \(place), \(other)")
                }
            }
        }
    }

    private func deliver(total: Int, poison: Set<Int>) -> (buried: Set<Int>, tries: Int) {
        var schedule = DeliverySchedule()
        var queue = Array(0..<total)
        var buried: Set<Int> = []
        var tries = 0
        while !queue.isEmpty, tries < 1_000 {
            tries += 1
            let batch = Array(queue.prefix(schedule.nextCount))
            let isBad = batch.contains { poison.contains($0) }
            switch take(isBad ? .refused(code: "bad") : .received(rejected: []), batch.count, &schedule) {
            case .forget: queue.removeFirst(batch.count)
            case .bury:
                buried.formUnion(batch)
                queue.removeFirst(batch.count)
            case .keep: break
            }
        }
        return (buried, tries)
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

    // MARK: The blob

    /// What a release before this one wrote: no time of the last success.
    @Test func blob_ofVersion1_isRead() {
        var schedule = DeliverySchedule()
        take(.retry(reason: "down", notBefore: nil), 400, &schedule)
        let blob = schedule.encoded(for: "s")
        var old = blob
        old[0] = 1
        // Without the seventh number, which stands before the reason.
        old.removeSubrange(59..<67)
        #expect(DeliverySchedule(old, for: "s") == schedule)
        for version in [0, 3, 255] as [UInt8] {
            var other = blob
            other[0] = version
            #expect(DeliverySchedule(forAnySink: other) == nil)
        }
    }

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

    @Test func blob_cutOrChangedAnywhere_isANewScheduleOrAValidOne() {
        var schedule = DeliverySchedule()
        for answer in [SinkAnswer.tooLarge, .unsupportedEncoding, .retry(reason: "späť", notBefore: 99)] {
            take(answer, 400, &schedule)
        }
        let blob = schedule.encoded(for: "https://c/")
        #expect(blob.count <= 4_096)
        #expect(DeliverySchedule(blob, for: "https://c/") == schedule)
        #expect(DeliverySchedule(blob, for: "https://d/") == DeliverySchedule())
        for count in 0..<67 {
            #expect(DeliverySchedule(Array(blob[..<count]), for: "https://c/") == DeliverySchedule())
        }
        for index in blob.indices {
            for value in [0, 1, 2, 0x7F, 0x80, 0xFF] as [UInt8] {
                var changed = blob
                changed[index] = value
                var read = DeliverySchedule(changed, for: "https://c/")
                #expect((1...500).contains(read.nextCount))
                #expect((0...3_600_000).contains(read.remainingWait(now: Self.start)))
            }
        }
        var long = schedule
        take(.hold(reason: String(repeating: "é", count: 5_000), notBefore: nil), 9, &long)
        #expect(long.encoded(for: "s").count <= 600)
    }
}
