import NielsenID3
import TagRecord

/// An action of a session in response to a call; the actions of a call are performed in order.
enum SessionAction: Sendable, Hashable {
    /// Stores a tag.
    case store(KeptTag)
    /// Releases a held tag as presented.
    case present(KeptTag)
    /// Releases a held tag as not presented.
    case flush(KeptTag)
    /// Stores the summary of an asset, in a session without tags.
    case summarize(AssetSummary)
    /// Loads the configuration of an app at a collection facility.
    case configure(AppIdentity)
    /// Stores the user's choice: the id that replaces the buffer's id from now on, or nil for a user who has not opted
    /// out.
    case setOptedOut(store: String?)
    /// Allows a first-party id, or removes it.
    case setFirstPartyID(Bool)
    /// Sends the waiting tags at once.
    case upload
    /// Reports an error of the guides.
    case report(SessionErrorCode)
    /// Reports that the session was shut down.
    case shutDown
}

/// A tag that a session stores.
struct KeptTag: Sendable, Hashable {
    /// The number of the tag among the stored tags of a machine, from 0.
    let number: UInt64
    /// The tag and its origin, marked as presented as far as that is known.
    var occurrence: TagOccurrence
    /// Whether the tag waits for the playhead.
    var isHeld: Bool
}

/// The parts of an app's information that the session uses.
struct AppIdentity: Sendable, Hashable {
    /// The id of the app.
    let appID: String
    /// The collection facility, in lower case.
    let facility: String
}
