import HTTPServing
import HostSystem

/// The server-sent events for one reader: the state of all channels, then changes about once a second.
final class EventStream: AnswerStream {
    private let feed: ChannelFeed
    private let clock: any HostClock
    private let never = Semaphore()
    /// The revision that the reader has; nil before the first event.
    private var revision: Int?
    private var lastTime: Duration

    /// The interval after which an idle stream sends a heartbeat.
    ///
    /// A reader can then tell a quiet monitor from an outage, and the server does not close the stream as idle.
    private static let heartbeat = Duration.seconds(10)
    /// The delay after which a disconnected reader reconnects, in milliseconds.
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
        // Never signaled: this only sleeps.
        _ = never.wait(atMost: limit)
        return []
    }

    /// Returns an event; the JSON has no line breaks, so it fits on one data line.
    private static func event(_ name: String, after start: String, _ json: [UInt8]) -> [UInt8] {
        Array("\(start)event: \(name)\ndata: ".utf8) + json + Array("\n\n".utf8)
    }
}
