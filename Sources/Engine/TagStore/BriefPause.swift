import Glibc

/// Decides how long a thread that has run out of work stays awake for more.
///
/// To be woken costs a thread more than a lone commit costs the processor. So while work comes again within
/// microseconds, as it does from a caller that appends, waits for the answer and appends again, the thread looks
/// out for it for 50 µs, giving way to every other thread meanwhile. The first pause that was longer ends that: a
/// store that gets a tag every few seconds sleeps at once, always.
struct BriefPause: Sendable {
    /// How long it stays awake.
    static let awakeNanoseconds: Int64 = 50_000
    /// A pause this short, sleep and waking included, would have been worth it.
    static let briefNanoseconds: Int64 = 100_000

    private var isLikelyBrief = false
    private let hasOtherProcessor: Bool

    /// - Parameter processorCount: Of the machine; with one alone the work could not come while it is awake.
    init(processorCount: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN))) {
        hasOtherProcessor = processorCount > 1
    }

    /// Whether the thread is still to be awake so long after it ran out of work.
    func isAwake(after nanoseconds: Int64) -> Bool {
        isLikelyBrief && nanoseconds < Self.awakeNanoseconds
    }

    /// Takes note of how long a pause was.
    mutating func end(after nanoseconds: Int64) {
        isLikelyBrief = hasOtherProcessor && nanoseconds < Self.briefNanoseconds
    }
}
