import Synchronization

/// A thread-safe counter whose first number is 1.
final class Counter: Sendable {
    private let value = Atomic(0)

    func next() -> Int { value.add(1, ordering: .relaxed).newValue }
}
