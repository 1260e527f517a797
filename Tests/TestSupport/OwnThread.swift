import Foundation
import Glibc

/// Runs a blocking closure on a new thread, and awaits its result.
///
/// Swift's tasks share only as many threads as there are cores. Tests that block these threads stop all other tasks,
/// including those that they wait for.
public func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread {
            do {
                continuation.resume(returning: try body())
            } catch {
                continuation.resume(throwing: error)
            }
        }
        thread.start()
    }
}
