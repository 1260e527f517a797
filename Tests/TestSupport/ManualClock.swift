import HostSystem
import Synchronization

/// A clock that a test advances by hand.
///
/// A sleeping task wakes when the clock has been advanced far enough, or when the task is cancelled. A clock with
/// `jumps` advances itself to the end of every sleep.
package final class ManualClock: HostClock {
    private struct Sleeper {
        let id: Int
        let wakesAt: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var unixMilliseconds: Int64
        var sinceBoot: Duration
        var processorTime = Duration.zero
        var steps = (sinceBoot: Duration.zero, processorTime: Duration.zero)
        var bootID: String
        var isSynchronized: Bool?
        var sleeps: [Duration] = []
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var nextID = 0
        /// The callers of `waitForSleepers`, with the number of sleepers that they wait for.
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>
    private let jumps: Bool

    /// Creates a clock with these times.
    package init(
        unixMilliseconds: Int64 = 1_800_000_000_000, sinceBoot: Duration = .seconds(5_000),
        bootID: String = "boot-1", isSynchronized: Bool? = true, jumps: Bool = false
    ) {
        self.jumps = jumps
        state = Mutex(
            State(
                unixMilliseconds: unixMilliseconds, sinceBoot: sinceBoot, bootID: bootID,
                isSynchronized: isSynchronized))
    }

    /// The durations of all sleeps so far, in order.
    package var sleeps: [Duration] { state.withLock(\.sleeps) }

    package var unixMilliseconds: Int64 { state.withLock(\.unixMilliseconds) }
    package var sinceBoot: Duration {
        state.withLock { state in
            defer { state.sinceBoot += state.steps.sinceBoot }
            return state.sinceBoot
        }
    }
    package var processorTime: Duration {
        state.withLock { state in
            defer { state.processorTime += state.steps.processorTime }
            return state.processorTime
        }
    }
    package var bootID: String { state.withLock(\.bootID) }
    package var isSynchronized: Bool? { state.withLock(\.isSynchronized) }

    /// Lets each later reading of a clock advance that clock, without waking tasks.
    package func advanceWithEachReading(sinceBoot: Duration = .zero, processorTime: Duration = .zero) {
        state.withLock { $0.steps = (sinceBoot, processorTime) }
    }

    /// Advances the wall clock and the monotonic one.
    package func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.unixMilliseconds += Int64(duration / .milliseconds(1))
            state.sinceBoot += duration
            let now = state.sinceBoot
            let awake = state.sleepers.filter { $0.wakesAt <= now }
            state.sleepers.removeAll { $0.wakesAt <= now }
            return awake
        }
        for sleeper in awake { sleeper.continuation.resume(returning: true) }
    }

    /// Sets the wall clock, without changing the monotonic one.
    package func setWallClock(unixMilliseconds: Int64) {
        state.withLock { $0.unixMilliseconds = unixMilliseconds }
    }

    /// Sets whether the wall clock is synchronized; nil if unknown.
    package func setSynchronized(_ isSynchronized: Bool?) {
        state.withLock { $0.isSynchronized = isSynchronized }
    }

    /// Simulates a reboot, after which the monotonic clock starts at `sinceBoot`.
    package func reboot(bootID: String, sinceBoot: Duration = .zero) {
        state.withLock { state in
            state.bootID = bootID
            state.sinceBoot = sinceBoot
        }
    }

    /// The number of sleeping tasks.
    package var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// Waits until at least `count` tasks are sleeping.
    package func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    package func sleep(for duration: Duration) async throws(CancellationError) {
        let id = state.withLock { state in
            state.nextID += 1
            state.sleeps.append(duration)
            return state.nextID
        }
        if jumps {
            if Task.isCancelled { throw CancellationError() }
            advance(by: duration)
            await Task.yield()
            return
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                fallAsleep(id, duration, continuation)
            }
        } onCancel: {
            cancel(id)
        }
        if !isOver { throw CancellationError() }
    }

    private func fallAsleep(_ id: Int, _ duration: Duration, _ continuation: CheckedContinuation<Bool, Never>)
    {
        let (result, watchers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.remove(id) != nil { return (false, []) }
            if duration <= .zero { return (true, []) }
            state.sleepers.append(
                Sleeper(id: id, wakesAt: state.sinceBoot + duration, continuation: continuation))
            let count = state.sleepers.count
            let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return (nil, ready)
        }
        if let result { continuation.resume(returning: result) }
        for watcher in watchers { watcher.resume() }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                // The task was cancelled before it started to sleep.
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(returning: false)
    }
}
