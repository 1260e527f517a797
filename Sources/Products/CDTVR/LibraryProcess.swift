import Glibc
import Synchronization

/// The process in which the first session was made: the threads of the library are in no other.
enum LibraryProcess {
    private static let maker = Atomic<Int32>(0)

    /// Whether this is the child of a process that has made a session.
    static var isForked: Bool {
        let number = maker.load(ordering: .relaxed)
        return number != 0 && number != getpid()
    }

    /// Notes that this process makes a session; false in a child of one that has.
    static func enter() -> Bool {
        let (isFirst, number) = maker.compareExchange(
            expected: 0, desired: getpid(), ordering: .relaxed)
        return isFirst || number == getpid()
    }
}
