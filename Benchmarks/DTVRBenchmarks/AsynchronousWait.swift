import Dispatch
import Synchronization

/// Waits for asynchronous work, blocking the main thread.
func waitFor<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    let shared = AwaitedResult<Value>()
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        shared.box.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = shared.box.withLock({ $0 }) else { throw AwaitedNothing() }
    return try result.get()
}

private struct AwaitedNothing: Error {}

private final class AwaitedResult<Value: Sendable>: Sendable {
    let box = Mutex<Result<Value, any Error>?>(nil)
}
