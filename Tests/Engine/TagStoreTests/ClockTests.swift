import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// Expiry when the clocks run, are set or restart: only tags that are certainly too old are deleted.
@Suite(.timeLimit(.minutes(30))) struct ClockTests {
    private static let day: Int64 = 86_400_000

    private func open(_ directory: TestDirectory, _ clock: ManualClock) async throws -> TagBuffer {
        try await TagBuffer.open(directory: directory.path, clock: clock)
    }

    @Test func expiry_atTenDays_isExact() async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        var source = BodySource(seed: 1)
        let store = try await open(directory, clock)
        try await store.append(source.tags(0..<1_200, byteCount: 40))
        clock.advance(by: .days(1))
        try await store.append(source.tags(0..<10))
        clock.advance(by: .days(9))
        try await store.expire()
        #expect(store.losses().expired == 0)
        clock.advance(by: .milliseconds(1))
        try await store.expire()
        #expect(store.losses().expired == 1_200)
        try await expectConservation(store, offered: 1_210)
        clock.advance(by: .days(1))
        // A batch never contains expired tags.
        #expect(try await store.nextBatch(maximumCount: 500, maximumByteCount: .max).isEmpty)
        #expect(store.losses().expired == 1_210)
        try await expectConservation(store, offered: 1_210)
        await store.close()
    }

    @Test(arguments: [11, -365, 4_000, -20_000] as [Int64], [true, false])
    func wallClockStep_withinABoot_deletesNoTags(days: Int64, isTrusted: Bool) async throws {
        let directory = TestDirectory()
        let clock = ManualClock(isTrusted: isTrusted)
        var source = BodySource(seed: 2)
        var store = try await open(directory, clock)
        try await store.append(source.tags(0..<20))
        clock.stepWall(by: .days(days))
        try await store.append(source.tags(20..<40))
        try await store.expire()
        await store.close()
        store = try await open(directory, clock)
        try await store.expire()
        #expect(store.totals().inStore == 40)
        // Setting the clock back does not change the ages either.
        clock.stepWall(by: .days(-days))
        try await store.expire()
        #expect(store.totals().inStore == 40)
        clock.setSynchronized(true)
        clock.advance(by: .days(10))
        try await store.expire()
        #expect(store.totals().inStore == 40)
        clock.advance(by: .milliseconds(1))
        try await store.expire()
        #expect(store.losses().expired == 40)
        try await expectConservation(store, offered: 40)
        await store.close()
    }

    /// Across boots, the wall clock determines the age, but only if it was trusted before and is trusted now.
    ///
    ///     trusted then   trusted now   wall stepped   expired
    @Test(
        arguments: [
            (true, true, 11, true), (true, true, 9, false), (true, true, -365, false),
            (true, false, 11, false),
            (false, true, 11, false), (false, false, 11, false), (false, false, -365, false),
        ] as [(Bool, Bool, Int64, Bool)])
    func wallClockStep_acrossBoots_expiresTagsOnlyIfTheClockIsTrustedInBoth(
        wasTrusted: Bool, isTrusted: Bool, days: Int64, isExpired: Bool
    ) async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 3)
        let before = ManualClock(bootID: "boot-1", isTrusted: wasTrusted)
        var store = try await open(directory, before)
        try await store.append(source.tags(0..<30))
        await store.close()
        let after = ManualClock(
            bootID: "boot-2", wall: before.unixMilliseconds + days * Self.day, boot: 1_000,
            isTrusted: isTrusted)
        store = try await open(directory, after)
        try await store.append(source.tags(30..<40))
        try await store.expire()
        #expect(store.losses().expired == (isExpired ? 30 : 0))
        // The status reports why the ages of the remaining tags are unknown.
        let known = try await store.status().unknownAge
        #expect(known == (isExpired || wasTrusted && isTrusted ? nil : isTrusted ? .clockThen : .clockNow))
        try await expectConservation(store, offered: 40)
        await store.close()
    }

    /// If a machine starts in 1970 and learns the time later in the same boot, the time is known for all of that boot.
    @Test func clockSetLater_inTheSameBoot_appliesToEarlierTags() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 4)
        let now: Int64 = 1_790_000_000_000
        let clock = ManualClock(bootID: "boot-1", wall: 5_000, boot: 5_000, isTrusted: false)
        var store = try await open(directory, clock)
        try await store.append(source.tags(0..<10))
        clock.stepWall(by: .milliseconds(now))
        clock.setSynchronized(true)
        try await store.append(source.tags(10..<20))
        try await store.expire()
        #expect(store.totals().inStore == 20)
        await store.close()
        for (days, left) in [(9, 20), (11, 0)] as [(Int64, Int64)] {
            let later = ManualClock(bootID: "boot-\(days)", wall: now + days * Self.day, boot: 100)
            store = try await open(directory, later)
            try await store.expire()
            #expect(store.totals().inStore == left)
            try await expectConservation(store, offered: 20)
            await store.close()
        }
    }

    /// The wall clock need not be trusted, because it is not used.
    @Test(arguments: [0, 400, -400] as [Int64])
    func tagAge_withinABoot_followsTheBootClock(stepDays: Int64) async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 6)
        let clock = ManualClock(isTrusted: false)
        let store = try await open(directory, clock)
        try await store.append(source.tags(0..<10))
        clock.stepWall(by: .days(stepDays))
        clock.advance(by: .days(10))
        try await store.expire()
        #expect(store.losses().expired == 0)
        clock.advance(by: .milliseconds(1))
        try await store.expire()
        #expect(store.losses().expired == 10)
        try await expectConservation(store, offered: 10)
        await store.close()
    }

    /// Without a trusted clock, a tag of an earlier boot is only known to be older than the current boot.
    @Test func tagAge_acrossBootsWithUntrustedClock_isTheCurrentUptime() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 7)
        var store = try await open(directory, ManualClock(bootID: "boot-1"))
        try await store.append(source.tags(0..<10))
        await store.close()
        let clock = ManualClock(
            bootID: "boot-2", wall: 1_800_000_000_000, boot: 0, isTrusted: false)
        store = try await open(directory, clock)
        clock.advance(by: .days(10))
        try await store.expire()
        #expect(store.losses().expired == 0)
        clock.advance(by: .milliseconds(1))
        try await store.expire()
        #expect(store.losses().expired == 10)
        await store.close()
    }

    @Test func serverTime_nearTheWallClock_makesItTrusted() async throws {
        let directory = TestDirectory()
        var source = BodySource(seed: 5)
        let before = ManualClock(bootID: "boot-1")
        var store = try await open(directory, before)
        try await store.append(source.tags(0..<10))
        await store.close()
        let clock = ManualClock(
            bootID: "boot-2", wall: before.unixMilliseconds + 11 * Self.day, boot: 1_000, isTrusted: false)
        store = try await open(directory, clock)
        await store.confirmClock(serverTime: clock.unixMilliseconds + 400_000)
        try await store.expire()
        #expect(store.losses().expired == 0)
        await store.confirmClock(serverTime: clock.unixMilliseconds - 2_000)
        // The clock is set after the confirmation, which therefore no longer applies.
        clock.stepWall(by: .days(1))
        try await store.expire()
        #expect(store.losses().expired == 0)
        await store.confirmClock(serverTime: clock.unixMilliseconds)
        try await store.expire()
        #expect(store.losses().expired == 10)
        try await expectConservation(store, offered: 10)
        await store.close()
    }

    @Test func clockEpochs_withAJumpingClock_areLimitedInCount() {
        var epochs = ClockEpochs()
        for step in 0..<1_000 {
            let wall: Int64 = step % 2 == 0 ? 0 : 500_000
            _ = epochs.enter(
                .init(wall: wall, boot: 0, bootID: "b", isTrusted: true), sequence: Int64(step + 1))
        }
        #expect(epochs.epochs.count == ClockEpochs.maximumCount)
        #expect(ClockEpochs(encoded: epochs.encoded) == epochs)
        epochs.forget(before: 2_000)
        #expect(epochs.epochs.count == 1)
    }

    @Test(arguments: ["", "1 2 3 - boot", "[{}]", #"[{"number":1}]"#])
    func clockEpochs_fromDamagedText_areEmpty(text: String) {
        #expect(ClockEpochs(encoded: Array(text.utf8)) == ClockEpochs())
    }

    @Test func prune_byAge_removesOlderTagsInSteps() async throws {
        let directory = TestDirectory()
        let clock = ManualClock(isTrusted: false)
        var source = BodySource(seed: 6)
        let store = try await open(directory, clock)
        try await store.append(source.tags(0..<700, byteCount: 40))
        try await store.append(source.tags(0..<700, byteCount: 40))
        clock.advance(by: .milliseconds(3_600_000))
        try await store.append(source.tags(0..<50))
        // Within a boot, the wall clock does not affect ages.
        clock.setWallClock(unixMilliseconds: clock.unixMilliseconds + 30 * Self.day)
        #expect(try await store.prune(olderThan: .milliseconds(3_600_000)) == 0)
        #expect(try await store.prune(olderThan: .milliseconds(3_599_999)) == 1_400)
        #expect(store.losses().pruned == 1_400)
        try await expectConservation(store, offered: 1_450)
        #expect(try await store.prune(olderThan: .zero) == 50)
        await #expect(throws: StoreError.invalidSetting(name: "age")) {
            try await store.prune(olderThan: .milliseconds(-1))
        }
        try await expectConservation(store, offered: 1_450)
        await store.close()
    }
}
