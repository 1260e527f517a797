import Glibc
import Synchronization

/// The process that created the first session.
///
/// The library's threads exist only there, and not in a forked child.
enum LibraryProcess {
    private static let maker = Atomic<Int32>(0)

    /// Whether this process is a forked child of one that has created a session.
    static var isForked: Bool {
        let number = maker.load(ordering: .relaxed)
        return number != 0 && number != getpid()
    }

    /// Records that this process creates a session; returns false in a forked child of a process that already has.
    static func enter() -> Bool {
        let (isFirst, number) = maker.compareExchange(
            expected: 0, desired: getpid(), ordering: .relaxed)
        return isFirst || number == getpid()
    }
}
