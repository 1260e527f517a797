internal import CDTVRMalloc
import Glibc

/// The resource usage of this process.
package struct ProcessFacts: Sendable, Hashable {
    /// User and system CPU time, in seconds.
    package let processorSeconds: Double
    /// Resident memory in bytes.
    package let residentByteCount: Int
    /// Virtual memory in bytes.
    package let virtualByteCount: Int
    /// The number of open file descriptors.
    package let openFileCount: Int
    /// The maximum number of open file descriptors.
    package let maximumOpenFileCount: UInt64
    /// The start time of the process, in Unix seconds.
    package let startTime: Double

    /// The name of this machine; empty if unknown.
    package static var hostName: String {
        var name = [CChar](repeating: 0, count: 257)
        // The call writes at most the given number of bytes, and the last one remains zero.
        let isKnown = unsafe name.withUnsafeMutableBufferPointer { buffer in
            unsafe buffer.baseAddress.map { unsafe gethostname($0, buffer.count - 1) } == 0
        }
        return isKnown
            ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }

    /// Reads the current values; returns nil if `/proc` is unavailable.
    package init?() {
        let text: [UInt8]
        do throws(SystemError) {
            text = try FileSystem.firstBytes(of: "/proc/self/stat", 4_096)
            // Exclude the descriptor that lists the directory.
            openFileCount = try FileSystem.names(in: "/proc/self/fd").count - 1
        } catch {
            return nil
        }
        // The program name may contain blanks and parentheses; the fields after it are numbers (proc(5)).
        guard let name = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[name...].split(separator: UInt8(ascii: " ")).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
        let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        // The first element is the state, which is field 3.
        func field(_ number: Int) -> Int? {
            fields.indices.contains(number - 3) ? Int(fields[number - 3]) : nil
        }
        guard ticksPerSecond > 0, let user = field(14), let system = field(15), let start = field(22),
            let virtual = field(23), let pages = field(24)
        else { return nil }
        processorSeconds = Double(user + system) / ticksPerSecond
        virtualByteCount = virtual
        residentByteCount = pages * sysconf(Int32(_SC_PAGESIZE))
        var limit = rlimit()
        // The call writes only to its argument.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        maximumOpenFileCount = UInt64(limit.rlim_cur)
        startTime = Self.bootTime + Double(start) / ticksPerSecond
    }

    /// Raises the limit of open files to the hard limit.
    ///
    /// Many systems set a soft limit of 1,024 for programs that use select(2).
    package static func raiseOpenFileLimit() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        // Both calls access only their own argument.
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // Raising a soft limit needs no privilege. On failure the earlier limit applies, and the metrics show it.
        _ = unsafe setrlimit(resource, &limit)
    }

    /// The boot time of the machine, computed once by the wall clock.
    ///
    /// A start time that changes would look like a new process.
    private static let bootTime: Double = {
        let clock = SystemClock()
        return Double(clock.unixMilliseconds) / 1_000 - clock.sinceBoot / .seconds(1)
    }()
}

/// The memory allocator of the process.
extension ProcessFacts {
    /// The smallest size in bytes of a block with its own pages.
    private static let separateByteCount: Int32 = 1 << 20

    /// Lets the process keep little memory that it does not use.
    ///
    /// Call this before starting threads.
    ///
    /// - All threads share two malloc arenas. With one per thread, each retains memory that only one thread needs at a
    ///   time. A thousand live channels use a tenth less memory with two.
    /// - Large blocks go back to the system when they are free. Without a fixed limit, the allocator moves it up to
    ///   32 MiB, and blocks below it leave holes that nothing fits into: a flood of tags took 440 MB and used 140.
    package static func keepLittleUnusedMemory() {
        _ = mallopt(M_ARENA_MAX, 2)
        _ = mallopt(M_MMAP_THRESHOLD, separateByteCount)
        // The allocator's own ratio of both limits.
        _ = mallopt(M_TRIM_THRESHOLD, 2 * separateByteCount)
    }
}
