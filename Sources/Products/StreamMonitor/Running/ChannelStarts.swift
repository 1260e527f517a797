/// The order in which channels start.
///
/// At its start, a channel reads all that its playlist lists. If thousands did that at once, none would keep up.
struct ChannelStarts: Sendable {
    /// The number of channels that may read what their playlists list at the start, at the same time.
    private static let maximumCount = 100
    /// The time after which a channel that has read nothing keeps no other from starting.
    private static let longestTime = Duration.seconds(2)

    /// The ids of the channels that wait for their start, in their order.
    private var waiting: ArraySlice<String> = []
    /// The channels that have not read what their playlists list, with the time since boot of their start.
    private var starting: [String: Duration] = [:]

    /// Adds a channel that waits.
    mutating func add(_ id: String) { waiting.append(id) }

    /// Removes and returns the channels whose turn it is.
    ///
    /// - Parameters:
    ///   - time: The time since boot.
    ///   - isWaiting: Returns whether a channel still waits for its start.
    ///   - hasReadList: Returns whether a channel that has started has read what its playlist lists, or is gone.
    mutating func next(
        at time: Duration, isWaiting: (String) -> Bool, hasReadList: (String) -> Bool
    ) -> [String] {
        starting = starting.filter { time - $0.value < Self.longestTime && !hasReadList($0.key) }
        var ids: [String] = []
        while starting.count < Self.maximumCount, let id = waiting.popFirst() {
            guard isWaiting(id) else { continue }
            starting[id] = time
            ids.append(id)
        }
        return ids
    }
}
