/// What was changed of a monitor's channels while it ran, beside their file.
struct ChannelChanges: Codable, Sendable, Hashable {
    /// A channel that was added, in the words of the channel file.
    struct Added: Codable, Sendable, Hashable {
        let id: String
        /// Its keys and values, in their order.
        let settings: [[String]]
    }

    /// The channels that were added, in their order.
    var added: [Added] = []
    /// The ids of channels of the file that were removed.
    var removed: Set<String> = []
    /// The ids of channels that are paused.
    var paused: Set<String> = []
}
