import DTVRKit
import StreamMonitor

/// Follows a live channel, stores its tags in a buffer, and prints each tag, until COUNT tags are read.
///
///     dtvr synth --live 8080 &
///     swift run FollowChannel http://127.0.0.1:8080/ch1/index.m3u8 /tmp/tags 5
///
/// A second run continues after the last stored tag.
@main
struct FollowChannel {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[3]) else {
            print("usage: FollowChannel URL DIRECTORY COUNT")
            return
        }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "FollowChannel/1.0"))
        let buffer = try await TagBuffer.open(directory: arguments[2])
        let monitor = ChannelMonitor(buffer: buffer, fetcher: try ResourceFetcher(client: client))

        let events = monitor.events()
        try monitor.start([ChannelSettings(id: "channel", url: arguments[1])])
        var remaining = count
        for await event in events where remaining > 0 {
            switch event.kind {
            case .tag(let tag):
                print("tag \(tag.tag.sequence ?? 0): \(tag.severity.rawValue)")
                remaining -= 1
                if remaining == 0 { await monitor.stop() }
            case .state(_, let state, let reason): print("\(state.rawValue) \(reason)")
            case .alert(let change, _): print("\(change.alert.check): \(change.alert.detail)")
            case .finding, .summary: break
            }
        }
        print("\(buffer.totals().inStore) tags in the buffer")
        await buffer.close()
    }
}
