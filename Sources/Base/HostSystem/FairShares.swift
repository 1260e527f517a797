import Synchronization

/// A capacity that named holders share, so that none of them keeps all of it.
///
/// - The last eighth of the capacity, at least 1, is only for holders that have nothing.
/// - Of the waiting requests, that of the holder with the smallest amount is first, then the oldest.
/// - No request is granted before the first one, so small requests do not pass a large one forever.
package final class FairShares: Sendable {
    /// A part of the capacity, released at the end of its lifetime at the latest.
    package final class Share: Sendable {
        private let shares: FairShares
        private let holder: String
        private let amount: Mutex<Int>

        fileprivate init(_ amount: Int, of shares: FairShares, for holder: String) {
            self.shares = shares
            self.holder = holder
            self.amount = Mutex(amount)
        }

        deinit { release() }

        /// Releases the part of the amount above `rest`, which is not negative.
        package func reduce(to rest: Int) {
            let released = amount.withLock { amount in
                let released = max(0, amount - rest)
                amount -= released
                return released
            }
            if released > 0 { shares.release(released, of: holder) }
        }

        /// Releases the whole amount.
        package func release() { reduce(to: 0) }
    }

    fileprivate struct State {
        var allocation: FairAllocation
        /// The signals of the threads that wait, by the numbers of their requests.
        var signals: [UInt64: Semaphore] = [:]
        var isInterrupted = false
    }

    private let capacity: Int
    private let maximumWaiterCount: Int
    private let state: Mutex<State>

    /// Creates shares of a positive capacity.
    ///
    /// - Parameter maximumWaiterCount: The number of waiting requests beyond which a further one does not wait.
    package init(capacity: Int, maximumWaiterCount: Int = 1_024) {
        self.capacity = capacity
        self.maximumWaiterCount = maximumWaiterCount
        state = Mutex(State(allocation: FairAllocation(capacity: capacity)))
    }

    /// The amount in use, and the largest one so far.
    package var usage: (current: Int, peak: Int) {
        state.withLock { ($0.allocation.total, $0.allocation.peak) }
    }

    /// The number of requests that wait.
    package var waiterCount: Int { state.withLock { $0.allocation.waiterCount } }

    /// Acquires a share, and waits up to `limit`; returns nil after a timeout or an interruption.
    ///
    /// - Parameter amount: The amount: at least 1, and the capacity for more than it.
    package func acquire(_ amount: Int, for holder: String, waitingAtMost limit: Duration = .zero) -> Share? {
        let amount = min(max(1, amount), capacity)
        let signal = Semaphore()
        let number = state.withLock { state -> UInt64? in
            if state.isInterrupted { return nil }
            let number = state.allocation.request(amount, for: holder)
            state.signals[number] = signal
            state.settle()
            if state.signals[number] != nil,
                limit <= .zero || state.allocation.waiterCount > maximumWaiterCount
            {
                state.cancel(number)
                return nil
            }
            return number
        }
        guard let number else { return nil }
        _ = signal.wait(atMost: limit)
        // After a timeout, the request may have been granted meanwhile.
        let isGranted = state.withLock { state in !state.cancel(number) }
        return isGranted ? Share(amount, of: self, for: holder) : nil
    }

    /// Ends all waits, and refuses all later requests.
    package func interrupt() {
        let signals = state.withLock { state in
            state.isInterrupted = true
            return Array(state.signals.values)
        }
        for signal in signals { signal.signal() }
    }

    private func release(_ amount: Int, of holder: String) {
        state.withLock { state in
            state.allocation.release(amount, of: holder)
            state.settle()
        }
    }
}

extension FairShares.State {
    /// Grants the requests that fit now.
    fileprivate mutating func settle() {
        while let number = allocation.grantNext() { signals.removeValue(forKey: number)?.signal() }
    }

    /// Removes a request, and returns whether it was waiting.
    @discardableResult
    fileprivate mutating func cancel(_ number: UInt64) -> Bool {
        guard signals.removeValue(forKey: number) != nil else { return false }
        allocation.cancel(number)
        // The request may have been in front of others.
        settle()
        return true
    }
}
