import Foundation
import Glibc

/// Runs a closure that blocks on a thread made for it, and waits for its result without holding a thread.
///
/// The threads that Swift's tasks share are as few as the cores: two tests that block them stop all others,
/// among them those whose end the two wait for.
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
