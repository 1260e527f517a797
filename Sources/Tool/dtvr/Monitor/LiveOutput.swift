import Dispatch
import HostSystem
import Synchronization

/// Writes the output of a monitor on a separate thread, so that a stalled reader does not block the channels.
///
/// The queue is bounded. Output that does not fit is dropped and counted; the tags themselves are in the buffer.
final class LiveOutput: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
        var leftOut = 0
    }

    /// The default capacity in bytes: a few minutes of output from a thousand channels.
    static let usualCapacity = 16 << 20

    private let capacity: Int
    private let write: @Sendable ([UInt8]) -> Void
    private let note: @Sendable (String) -> Void
    private let thread = DispatchQueue(label: "dtvr.output")
    private let state = Mutex(State())

    /// Creates an output with an empty queue.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of queued bytes.
    ///   - write: Writes results; it may block.
    ///   - note: Reports dropped lines when the reader continues.
    init(
        capacity: Int = usualCapacity, write: @escaping @Sendable ([UInt8]) -> Void,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.capacity = capacity
        self.write = write
        self.note = note
    }

    /// Whether all output has been written.
    var isIdle: Bool { state.withLock { !$0.isWriting } }

    /// Enqueues bytes of results, or drops them if the queue is full.
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
            if leftOut > 0 { note("output stalled; lines dropped: \(leftOut)") }
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

    /// Waits up to `seconds` until everything is written, and returns whether it is.
    ///
    /// It blocks its thread. A change of the wall clock, which DispatchSemaphore would notice, has no effect.
    func finish(within seconds: Double) -> Bool {
        let isDone = Semaphore()
        thread.async { isDone.signal() }
        return isDone.wait(atMost: .seconds(seconds))
    }
}
