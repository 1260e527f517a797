/// The settings of a session, from the configuration and the app's developer.
struct SessionPolicy: Sendable, Hashable {
    /// Whether a duplicate of the previous tag is stored too.
    var keepsRepeats = false
    /// Whether the tags of a user who has opted out are stored, and sent as such; otherwise they are discarded.
    var sendsOptedOut = false
    /// The standard names of the app's keys, by the app's key in lower case.
    var names: [String: String] = [:]
}
