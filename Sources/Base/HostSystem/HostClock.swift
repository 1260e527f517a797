internal import CDTVRClock
import Glibc
internal import Synchronization

/// The time, and waiting for it.
///
/// A wall clock may be wrong and may be set; the boot clock only runs, but starts again with the machine. Whoever keeps
/// times for long keeps both, and believes the wall clock only while `isSynchronized` says so.
package protocol HostClock: Sendable {
    /// The wall clock, in milliseconds of Unix time.
    var unixMilliseconds: Int64 { get }
    /// How long the machine has been on, time asleep included.
    var sinceBoot: Duration { get }
    /// A text that is different after every start of the machine.
    var bootID: String { get }
    /// Whether somebody who knows says that the wall clock is right.
    var isSynchronized: Bool { get }
    /// Waits that long, by a clock that nobody sets; throws when the task is cancelled.
    func sleep(for duration: Duration) async throws(CancellationError)
}

/// The clocks of the machine; the wall clock counts as synchronised while the kernel says so.
package struct SystemClock: HostClock {
    /// The text of `/proc/sys/kernel/random/boot_id`; empty where that cannot be read.
    package let bootID: String

    /// The clocks of the machine.
    package init() {
        do throws(SystemError) {
            let bytes = try FileSystem.firstBytes(of: "/proc/sys/kernel/random/boot_id", 64)
            bootID = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        } catch {
            // Every start then looks like the same one, and the boot clock is not believed over the wall clock.
            bootID = ""
        }
    }

    /// `CLOCK_REALTIME`.
    package var unixMilliseconds: Int64 {
        let time = Self.read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// `CLOCK_BOOTTIME`.
    package var sinceBoot: Duration {
        let time = Self.read(CLOCK_BOOTTIME)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// What `adjtimex` answers, or answered within the last second: whether a time service keeps the clock.
    package var isSynchronized: Bool {
        let time = Self.read(CLOCK_BOOTTIME)
        let now = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        let last = Self.lastAnswer.load(ordering: .relaxed)
        if last != 0, now &- last >> 1 < 1_000, now >= last >> 1 { return last & 1 == 1 }
        let isSynchronized = dtvr_clock_is_synchronized() != 0
        Self.lastAnswer.store(now << 1 | (isSynchronized ? 1 : 0), ordering: .relaxed)
        return isSynchronized
    }

    /// Waits by the clock that runs while the machine is awake.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            // The only error that it has.
            throw CancellationError()
        }
    }

    /// The boot clock in milliseconds when `adjtimex` was asked last, doubled, and one more where it said yes; 0 before
    /// that.
    ///
    /// The call costs as much as the insertion of a row, and would be made for each commit.
    private static let lastAnswer = Atomic<Int64>(0)

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Both clocks exist on every Linux that Swift runs on; the call writes only to its own argument.
        _ = unsafe clock_gettime(clock, &time)
        return time
    }
}

extension HostClock where Self == SystemClock {
    /// The clocks of the machine.
    package static var system: SystemClock { SystemClock() }
}
