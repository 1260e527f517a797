internal import Synchronization

/// Somebody whose requests share a client with those of others, such as a channel.
///
/// One request of an owner starts at once, whatever the others do. Of the rest, no more run at a time than the owner's
/// share, and they wait for one another: an owner whose servers are silent holds up its own requests only.
package final class TransferOwner: Sendable {
    private let hasExceededShare = Mutex(false)

    /// Somebody of whom no request was made.
    package init() {}

    /// Whether more of its requests waited at a time than its share lets run, since the last call.
    package func takeExceededShare() -> Bool {
        hasExceededShare.withLock { hasExceeded in
            defer { hasExceeded = false }
            return hasExceeded
        }
    }

    func noteExceededShare() { hasExceededShare.withLock { $0 = true } }
}
