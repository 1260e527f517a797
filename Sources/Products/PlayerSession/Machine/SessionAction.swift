import NielsenID3
import TagRecord

/// What a session does because of a call, in this order, after the call was understood.
enum SessionAction: Sendable, Hashable {
    /// Keeps a tag.
    case store(KeptTag)
    /// A tag that was held is presented now.
    case present(KeptTag)
    /// A tag that was held will not be presented.
    case flush(KeptTag)
    /// Keeps how an asset was played, in a session without tags.
    case summarize(AssetSummary)
    /// The configuration of an app at a facility is wanted.
    case configure(AppIdentity)
    /// The user's choice is kept over launches: what stands for the buffer's id from now on; nil where the user is in.
    case setOptedOut(store: String?)
    /// Whether a first-party id may be made.
    case setFirstPartyID(Bool)
    /// What is unsent is sent at once.
    case upload
    /// An error of the guides.
    case report(SessionErrorCode)
    /// What waits is written, and the session is closed.
    case shutDown
}

/// A tag that a session keeps.
struct KeptTag: Sendable, Hashable {
    /// Counts the kept tags of a machine from 0.
    let number: UInt64
    /// The tag and where it comes from; it is as presented as it is known to be.
    var occurrence: TagOccurrence
    /// Whether it waits for the playhead.
    var isHeld: Bool
}

/// What an app says of itself, as far as the session goes by it.
struct AppIdentity: Sendable, Hashable {
    /// The id of the app.
    let appID: String
    /// The collection facility, in lower case.
    let facility: String
}
