internal import Synchronization

/// The owner of a group of requests, such as a channel, within a shared client.
///
/// The first request of an owner starts immediately, regardless of other owners. Further requests are limited to the
/// owner's share and wait for each other, so an owner with unresponsive servers delays only its own requests.
package final class TransferOwner: Sendable {
    private let state: Mutex<State>
    /// The number of the owner, in the order in which the process created them.
    let number: Int

    private static let lastNumber = Atomic<Int>(0)

    private struct State {
        var share: Int
        var hasExceededShare = false
    }

    /// Creates an owner without requests.
    package init(share: Int) {
        state = Mutex(State(share: max(1, share)))
        number = Self.lastNumber.add(1, ordering: .relaxed).oldValue
    }

    /// The maximum number of concurrent requests, at least 1.
    package var share: Int {
        get { state.withLock { $0.share } }
        set { state.withLock { $0.share = max(1, newValue) } }
    }

    /// Returns whether the owner had more than twice its share of unfinished requests since the last call.
    package func takeExceededShare() -> Bool {
        state.withLock { state in
            defer { state.hasExceededShare = false }
            return state.hasExceededShare
        }
    }

    func recordExceededShare() { state.withLock { $0.hasExceededShare = true } }
}
