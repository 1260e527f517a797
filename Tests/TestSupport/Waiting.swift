import Glibc

/// A timeout of `wait`.
public struct WaitedTooLong: Error {
    /// A description of the awaited condition.
    public let subject: String
}

/// Waits until a condition that another program or thread brings about is true.
///
/// Polls a hundred times per second, on a separate thread. The default limit is long enough for a machine that runs all
/// tests at once, where a task may wait minutes for its turn.
public func wait(
    for subject: String, within limit: Duration = .seconds(600),
    until isThere: @escaping @Sendable () throws -> Bool
) async throws {
    try await onOwnThread {
        let start = ContinuousClock.now
        while try !isThere() {
            if start.duration(to: .now) > limit { throw WaitedTooLong(subject: subject) }
            // A poll without descriptors sleeps for ten milliseconds.
            _ = poll(nil, 0, 10)
        }
    }
}

/// Waits in the same way for an asynchronous condition, such as the status of a collector.
public func wait(
    for subject: String, within limit: Duration = .seconds(600), asking isThere: () async throws -> Bool
) async throws {
    let start = ContinuousClock.now
    while try await !isThere() {
        if start.duration(to: .now) > limit { throw WaitedTooLong(subject: subject) }
        try await onOwnThread { _ = poll(nil, 0, 10) }
    }
}
