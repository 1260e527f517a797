import Dispatch
import Synchronization

/// Writes what a monitor says on a thread of its own, so that a reader who takes nothing stops no channel.
///
/// What waits for the reader is bounded. What does not fit is left out and counted: the tags are in the buffer all the
/// same.
final class LiveOutput: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
        var leftOut = 0
    }

    /// How much may wait, in bytes: what a thousand channels say in some minutes.
    static let usualCapacity = 16 << 20

    private let capacity: Int
    private let write: @Sendable ([UInt8]) -> Void
    private let note: @Sendable (String) -> Void
    private let thread = DispatchQueue(label: "dtvr.output")
    private let state = Mutex(State())

    /// An output of which nothing waits.
    ///
    /// - Parameters:
    ///   - capacity: how many bytes may wait.
    ///   - write: writes results, and may take as long as it likes.
    ///   - note: says what was left out, once the reader takes something again.
    init(
        capacity: Int = usualCapacity, write: @escaping @Sendable ([UInt8]) -> Void,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.capacity = capacity
        self.write = write
        self.note = note
    }

    /// Whether everything was written.
    var isIdle: Bool { state.withLock { !$0.isWriting } }

    /// Has bytes of results written as soon as the reader takes them.
    func print(_ bytes: [UInt8]) {
        let begins = state.withLock { state in
            guard state.waiting.count + bytes.count <= capacity else {
                state.leftOut += 1
                return false
            }
            state.waiting += bytes
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { thread.async { self.writeWaiting() } }
    }

    private func writeWaiting() {
        while let (bytes, leftOut) = next() {
            write(bytes)
            if leftOut > 0 { note("nobody read the output: lines that are not printed: \(leftOut)") }
        }
    }

    private func next() -> (bytes: [UInt8], leftOut: Int)? {
        state.withLock { state in
            guard !state.waiting.isEmpty || state.leftOut > 0 else {
                state.isWriting = false
                return nil
            }
            defer {
                state.waiting = []
                state.leftOut = 0
            }
            return (state.waiting, state.leftOut)
        }
    }

    /// Waits until everything was written, at most so many seconds; false where it was not.
    ///
    /// It blocks its thread.
    func finish(within seconds: Double) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        thread.async { isDone.signal() }
        return isDone.wait(timeout: .now() + seconds) == .success
    }
}
