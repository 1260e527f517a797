internal import Synchronization

/// Somebody whose requests share a client with those of others, such as a channel.
///
/// One request of an owner starts at once, whatever the others do. Of the rest, no more run at a time than the owner's
/// share, and they wait for one another: an owner whose servers are silent holds up its own requests only.
package final class TransferOwner: Sendable {
    private let state: Mutex<State>

    private struct State {
        var share: Int
        var hasExceededShare = false
    }

    /// Somebody of whom no request was made.
    package init(share: Int) { state = Mutex(State(share: max(1, share))) }

    /// How many of its requests run at a time, 1 or more.
    package var share: Int {
        get { state.withLock { $0.share } }
        set { state.withLock { $0.share = max(1, newValue) } }
    }

    /// Whether it had more than twice as many requests at a time as its share lets run, since the last call.
    package func takeExceededShare() -> Bool {
        state.withLock { state in
            defer { state.hasExceededShare = false }
            return state.hasExceededShare
        }
    }

    func noteExceededShare() { state.withLock { $0.hasExceededShare = true } }
}
