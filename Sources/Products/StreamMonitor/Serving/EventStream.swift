import HTTPServing
import HostSystem

/// The server-sent events of one reader: how all channels are, then what changes, about once a second.
final class EventStream: AnswerStream {
    private let feed: ChannelFeed
    private let clock: any HostClock
    private let never = Semaphore()
    /// What the reader has; nil before the first event.
    private var revision: Int?
    private var lastTime: Duration

    /// After so long without an event one says that the monitor is there: readers tell silence from an outage, and the
    /// server cuts no stream that says something.
    private static let heartbeat = Duration.seconds(10)
    /// How soon a reader that lost the monitor comes back, in milliseconds.
    private static let reconnectionTime = 2_000

    init(_ feed: ChannelFeed, clock: any HostClock) {
        self.feed = feed
        self.clock = clock
        lastTime = clock.sinceBoot
    }

    deinit { feed.closeStream() }

    var byteCount: Int? { nil }

    func nextPiece(waitingAtMost limit: Duration) -> [UInt8]? {
        let now = clock.sinceBoot
        if let update = feed.update(after: revision) {
            let isFirst = revision == nil
            revision = update.revision
            lastTime = now
            let start = isFirst ? "retry: \(Self.reconnectionTime)\n" : ""
            return Self.event(update.isComplete ? "all" : "changes", after: start, update.json)
        }
        if now - lastTime >= Self.heartbeat {
            lastTime = now
            return Self.event("alive", after: "", Array("{}".utf8))
        }
        // Nobody signals: it waits for a moment.
        _ = never.wait(atMost: limit)
        return []
    }

    /// JSON has no line ends of its own, so it is one line of data.
    private static func event(_ name: String, after start: String, _ json: [UInt8]) -> [UInt8] {
        Array("\(start)event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }
}
