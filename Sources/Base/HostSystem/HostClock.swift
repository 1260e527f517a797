internal import CDTVRClock
import Glibc
internal import Synchronization

/// The clocks of a machine, and delays.
///
/// The wall clock may be wrong and may be set. The boot clock only advances, but restarts with the machine. Store both
/// for times that outlast a process, and trust the wall clock only if `isSynchronized` is true.
package protocol HostClock: Sendable {
    /// The wall clock, in Unix milliseconds.
    var unixMilliseconds: Int64 { get }
    /// The time since boot, including suspended time.
    var sinceBoot: Duration { get }
    /// The processor time of the calling thread.
    ///
    /// Use only the difference of two readings without a suspension between them.
    var processorTime: Duration { get }
    /// A text that is different for every boot.
    var bootID: String { get }
    /// Whether the wall clock is synchronized (NTP); nil if unknown.
    var isSynchronized: Bool? { get }
    /// Waits for a duration, independent of changes to the wall clock; throws if the task is cancelled.
    func sleep(for duration: Duration) async throws(CancellationError)
}

/// The clocks of this machine; the wall clock is synchronized if the kernel reports it.
package struct SystemClock: HostClock {
    /// The content of `/proc/sys/kernel/random/boot_id`; empty if it is unreadable.
    package let bootID: String

    /// Creates the clocks of this machine.
    package init() {
        do throws(SystemError) {
            let bytes = try FileSystem.firstBytes(of: "/proc/sys/kernel/random/boot_id", 64)
            bootID = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        } catch {
            // All boots then have the same ID, so a time across a reboot is underestimated.
            bootID = ""
        }
    }

    /// The wall clock, `CLOCK_REALTIME`.
    package var unixMilliseconds: Int64 {
        let time = Self.read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The time since boot, `CLOCK_BOOTTIME`.
    package var sinceBoot: Duration { Self.duration(CLOCK_BOOTTIME) }

    /// The processor time of the calling thread, `CLOCK_THREAD_CPUTIME_ID`.
    fileprivate static var processorTime: Duration { duration(CLOCK_THREAD_CPUTIME_ID) }

    /// Whether a time service disciplines the clock, according to `adjtimex`; nil if the call is denied, as in some
    /// containers.
    ///
    /// The answer is cached for one second.
    package var isSynchronized: Bool? {
        let time = Self.read(CLOCK_BOOTTIME)
        let now = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        var last = Self.lastAnswer.load(ordering: .relaxed)
        if last == 0 || now &- last >> 2 >= 1_000 || now < last >> 2 {
            last = now << 2 | Int64(dtvr_clock_synchronization())
            Self.lastAnswer.store(last, ordering: .relaxed)
        }
        return last & 2 == 2 ? nil : last & 1 == 1
    }

    /// Waits with `Task.sleep`, which does not depend on the wall clock.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            // `Task.sleep` throws only this error.
            throw CancellationError()
        }
    }

    /// The cached answer of `adjtimex`: the boot clock in milliseconds times four, plus the answer; 0 if empty.
    ///
    /// The call takes as long as a row insertion and would otherwise be made for each commit.
    private static let lastAnswer = Atomic<Int64>(0)

    private static func duration(_ clock: clockid_t) -> Duration {
        let time = read(clock)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // These clocks exist on all supported Linux versions; the call writes only to its argument.
        _ = unsafe clock_gettime(clock, &time)
        return time
    }
}

extension HostClock {
    package var processorTime: Duration { SystemClock.processorTime }
}

extension HostClock where Self == SystemClock {
    /// The clocks of this machine.
    package static var system: SystemClock { SystemClock() }
}

extension SystemClock {
    /// Returns the minute of the day, 0 to 1439, of a Unix time, in the time zone of `TZ` or the system.
    package static func minuteOfDay(unixSeconds: Double) -> Int {
        guard var time = time_t(exactly: unixSeconds.rounded(.down)) else { return 0 }
        var parts = unsafe tm()
        // Both values outlive the call, which is thread-safe; the time zone name is not accessed.
        guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
        return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }
}
