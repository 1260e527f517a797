/// The stored tags that wait for the playhead to reach their media time, in order of arrival.
struct PendingTags: Sendable {
    /// The maximum number of held tags; players hand tags over less than a minute early, which is six tags.
    static let maximumCount = 1_000

    /// The tags, each with its number among the held tags of the session.
    private var tags: [(number: UInt64, tag: SessionTag)] = []
    private var nextNumber: UInt64 = 0
    /// The number of tags released without having been presented.
    private(set) var flushedCount = 0

    /// The number of held tags.
    var count: Int { tags.count }

    /// Stores and holds a tag; releases the oldest one if there is no room for it any more.
    mutating func hold(_ tag: SessionTag, _ step: inout SessionStep) {
        step.write(.hold(tag, as: nextNumber))
        tags.append((nextNumber, tag))
        nextNumber += 1
        if tags.count > Self.maximumCount { flush(tags.removeFirst().number, &step) }
    }

    /// Releases the tags whose media time the playhead has reached as presented.
    mutating func present(at playhead: Double, _ step: inout SessionStep) {
        let presented = tags.filter { $0.tag.mediaTime <= playhead }
        if presented.isEmpty { return }
        tags.removeAll { $0.tag.mediaTime <= playhead }
        for (number, tag) in presented { step.write(.release(number, as: tag.presented)) }
    }

    /// Releases all tags as not presented.
    mutating func flush(_ step: inout SessionStep) {
        for (number, _) in tags { flush(number, &step) }
        tags.removeAll()
    }

    private mutating func flush(_ number: UInt64, _ step: inout SessionStep) {
        flushedCount += 1
        step.find(.tagNotPresented)
        step.write(.release(number, as: nil))
    }
}
