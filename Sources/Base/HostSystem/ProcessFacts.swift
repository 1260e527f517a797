import Glibc

/// What this process takes of the machine.
package struct ProcessFacts: Sendable, Hashable {
    /// Processor time of user and system, in seconds.
    package let processorSeconds: Double
    /// Memory that is resident.
    package let residentByteCount: Int
    /// Memory that is mapped.
    package let virtualByteCount: Int
    /// How many file descriptors are open.
    package let openFileCount: Int
    /// How many may be open.
    package let maximumOpenFileCount: UInt64
    /// When the process started, in Unix seconds.
    package let startTime: Double

    /// What holds now; nil where `/proc` does not say.
    package init?() {
        let text: [UInt8]
        do throws(SystemError) {
            text = try FileSystem.firstBytes(of: "/proc/self/stat", 4_096)
            // One of them is that by which they are listed.
            openFileCount = try FileSystem.names(in: "/proc/self/fd").count - 1
        } catch {
            return nil
        }
        // The name of the program may hold blanks and parentheses; the fields after it are numbers (proc(5)).
        guard let name = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = text[name...].split(separator: UInt8(ascii: " ")).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
        let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        // Counted from the state, which is field 3.
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
        // The call writes to its own argument only.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        maximumOpenFileCount = UInt64(limit.rlim_cur)
        startTime = Self.bootTime + Double(start) / ticksPerSecond
    }

    /// Raises the number of files that may be open to the hard limit: many systems set a soft limit of 1,024 for the sake
    /// of programs that use select(2).
    package static func raiseOpenFileLimit() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        // Both calls use their own argument only.
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // Raising a soft limit needs no privilege. If it fails all the same, the earlier limit is in force and in the metrics.
        _ = unsafe setrlimit(resource, &limit)
    }

    /// When the machine started, by its wall clock at the first call: a start that moved would look like a new process.
    private static let bootTime: Double = {
        let clock = SystemClock()
        return Double(clock.unixMilliseconds) / 1_000 - clock.sinceBoot / .seconds(1)
    }()
}
