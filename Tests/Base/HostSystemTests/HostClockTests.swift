import Foundation
import HostSystem
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct HostClockTests {
    @Test func systemClock_agreesWithFoundation() {
        let clock = SystemClock()
        let before = Int64(Date().timeIntervalSince1970 * 1_000)
        let now = clock.unixMilliseconds
        let after = Int64(Date().timeIntervalSince1970 * 1_000)
        #expect(before - 1 <= now && now <= after + 1)
    }

    @Test func bootClock_isMonotonic_andTheBootHasAnID() {
        let clock = SystemClock()
        let first = clock.sinceBoot
        #expect(first > .zero)
        #expect(clock.sinceBoot >= first)
        #expect(clock.bootID.count == 36)
        #expect(clock.isSynchronized == clock.isSynchronized)
    }

    @Test func systemSleep_thatIsCancelled_throws() async {
        let task = Task { try await SystemClock().sleep(for: .seconds(3_600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func manualSleep_endsWhenTimeHasPassed() async throws {
        let clock = ManualClock(unixMilliseconds: 5_000)
        let task = Task { try await clock.sleep(for: .seconds(10)) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        #expect(clock.unixMilliseconds == 14_000)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(clock.sleeps == [.seconds(10)])
    }

    @Test func manualSleep_thatIsCancelled_throws() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(10)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func manualClock_thatJumps_sleepsWithoutWaiting() async throws {
        let clock = ManualClock(unixMilliseconds: 0, jumps: true)
        try await clock.sleep(for: .milliseconds(1_500))
        #expect(clock.unixMilliseconds == 1_500)
    }
}
