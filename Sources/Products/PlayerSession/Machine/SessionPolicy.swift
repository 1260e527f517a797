/// What a session goes by beside its calls: what the configuration and the app's developer decide.
struct SessionPolicy: Sendable, Hashable {
    /// Whether a tag that is the last one once more is kept too.
    var keepsRepeats = false
    /// Whether the tags of a user who has opted out are kept, and sent as such; otherwise they are discarded.
    var sendsOptedOut = false
    /// What the keys of the app stand for, by the app's key in lower case.
    var names: [String: String] = [:]
}
