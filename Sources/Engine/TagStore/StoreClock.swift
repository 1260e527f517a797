internal import CDTVRClock
import Glibc
internal import Synchronization

/// The clocks that a store tells ages by.
///
/// A wall clock may be wrong and may be set; the boot clock only runs, but starts again at every boot. A store
/// keeps both for each tag, and believes the wall clock only where `isTrusted` says so.
package protocol StoreClock: Sendable {
    /// Milliseconds of Unix time.
    var wallMilliseconds: Int64 { get }
    /// Milliseconds since the machine started, time asleep included.
    var bootMilliseconds: Int64 { get }
    /// A text that is another one after every start of the machine.
    var bootID: String { get }
    /// Whether somebody who knows says that the wall clock is right.
    var isTrusted: Bool { get }
}

/// The clocks of the machine; the wall clock is trusted while the kernel calls it synchronised.
package struct SystemStoreClock: StoreClock {
    /// The text of `/proc/sys/kernel/random/boot_id`.
    package let bootID: String

    /// The clocks of the machine.
    package init() {
        let bytes = FileDescriptor.contents(of: "/proc/sys/kernel/random/boot_id", maximumByteCount: 64)
        bootID = String(decoding: (bytes ?? []).prefix { $0 > 0x20 }, as: UTF8.self)
    }

    /// `CLOCK_REALTIME`.
    package var wallMilliseconds: Int64 { Self.milliseconds(of: CLOCK_REALTIME) }

    /// `CLOCK_BOOTTIME`.
    package var bootMilliseconds: Int64 { Self.milliseconds(of: CLOCK_BOOTTIME) }

    /// What `adjtimex` answers, or answered within the last second: whether a time service keeps the clock.
    package var isTrusted: Bool {
        let now = bootMilliseconds
        let last = Self.lastAnswer.load(ordering: .relaxed)
        if last != 0, now &- last >> 1 < 1_000, now >= last >> 1 { return last & 1 == 1 }
        let isTrusted = dtvr_clock_is_synchronized() != 0
        Self.lastAnswer.store(now << 1 | (isTrusted ? 1 : 0), ordering: .relaxed)
        return isTrusted
    }

    /// The boot clock when `adjtimex` was asked last, doubled, and one more where it said yes; 0 before that.
    ///
    /// The call costs as much as the insertion of a row, and would be made for each commit.
    private static let lastAnswer = Atomic<Int64>(0)

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // Both clocks exist on every Linux that Swift runs on; the call writes only to its own argument.
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension StoreClock where Self == SystemStoreClock {
    /// The clocks of the machine.
    package static var system: SystemStoreClock { SystemStoreClock() }
}
