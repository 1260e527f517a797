import NielsenID3
import StreamHealth

/// What is known of a channel while it is followed.
struct ChannelRecord: Sendable {
    var health: ChannelHealth
    var snapshot: ChannelSnapshot
    var recent = RecentTags()
    /// The media time of the last DATA tag in each rendition.
    private var lastSeconds: [Int: Double] = [:]

    init(health: ChannelHealth, snapshot: ChannelSnapshot) {
        self.health = health
        self.snapshot = snapshot
    }

    /// What happened since the last call; the snapshot has it then.
    mutating func drainEvents() -> [ChannelEvent] {
        let events = health.drainEvents()
        for event in events {
            switch event {
            case .state(_, _, let reason): snapshot.reason = reason
            case .finding: snapshot.problemCount += 1
            case .alert: break
            }
        }
        snapshot.state = health.state
        snapshot.alertCount = health.openAlerts.count
        return events
    }

    /// Counts the tags of a segment; `newCount` of them were no copies.
    mutating func count(_ tags: [TagOccurrence], newCount: Int, rendition: Int, at wallTime: Double) {
        snapshot.tagCount += UInt64(newCount)
        guard !tags.isEmpty else { return }
        snapshot.lastTagTime = Int64(wallTime * 1_000)
        for tag in tags where tag.tag.kind == .data {
            guard let seconds = tag.seconds else { continue }
            if let last = lastSeconds[rendition], seconds > last { snapshot.spacing = seconds - last }
            lastSeconds[rendition] = seconds
        }
    }
}
