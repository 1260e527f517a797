import Glibc

/// What a test waited for did not come within its limit.
public struct WaitedTooLong: Error {
    /// What it waited for.
    public let subject: String
}

/// Waits for what another program or thread brings about: looks a hundred times a second, on a thread of its own.
///
/// The limit is far beyond what a machine needs that runs all tests at once, where a task may wait minutes for its
/// turn; only what never comes reaches it.
public func wait(
    for subject: String, within limit: Duration = .seconds(600),
    until isThere: @escaping @Sendable () throws -> Bool
) async throws {
    try await onOwnThread {
        let start = ContinuousClock.now
        while try !isThere() {
            if start.duration(to: .now) > limit { throw WaitedTooLong(subject: subject) }
            // No descriptors: it waits for the ten milliseconds only.
            _ = poll(nil, 0, 10)
        }
    }
}

/// Waits in the same way for what has to be asked for, such as the status of a collector.
public func wait(
    for subject: String, within limit: Duration = .seconds(600), asking isThere: () async throws -> Bool
) async throws {
    let start = ContinuousClock.now
    while try await !isThere() {
        if start.duration(to: .now) > limit { throw WaitedTooLong(subject: subject) }
        try await onOwnThread { _ = poll(nil, 0, 10) }
    }
}
