/// The changes made to a monitor's channels at run time, on top of the channel file.
struct ChannelChanges: Codable, Sendable, Hashable {
    /// A channel that was added, with the keys and values of the channel file.
    struct Added: Codable, Sendable, Hashable {
        let id: String
        /// The key-value pairs, in order.
        let settings: [[String]]
    }

    /// The added channels, in order.
    var added: [Added] = []
    /// The ids of removed channels of the file.
    var removed: Set<String> = []
    /// The ids of paused channels.
    var paused: Set<String> = []
}
