import HLSInput
import HLSPlaylist
import HTTPServing
import HostSystem
import StreamHealth
import StreamMonitor
import StreamSynthesis
import Synchronization
import TagStore
import TestSupport
import Testing

/// A monitor with extreme numbers in segments, limits and bookmarks.
@Suite(.timeLimit(.minutes(30))) struct ExtremeInputTests {
    /// The pages and resources that a monitor serves, for one channel.
    private static let paths = [
        "/", "/channels/ch1", "/metrics", "/api/channels", "/api/channels/ch1", "/healthz",
    ]

    private static func expectPages(_ monitor: LiveMonitor, of station: MonitoredStation) {
        let site = station.site(of: monitor)
        for path in paths { #expect(site.answer(to: .local("GET", path)).status == 200, "\(path)") }
    }

    /// Each segment has an extreme number.
    ///
    /// The channel is still followed, and so is its neighbor.
    @Test func segment_withExtremeNumber_stopsNoChannel() async throws {
        let segments = ExtremeSegments.all(transportStream: [])
        let served = Mutex(0)
        let station = try MonitoredStation(
            channels: 2,
            replace: { target in
                guard target.hasPrefix("/ch1/") else { return nil }
                return served.withLock { count in
                    defer { count += 1 }
                    return segments[count % segments.count].bytes
                }
            })
        // Each segment lasts four seconds, and the window at the start has six of them.
        let seconds = Double(segments.count) * 2
        let totals = try await station.monitor(station.channels(1...2), for: seconds) { monitor, time in
            if time.truncatingRemainder(dividingBy: 60) == 0 { Self.expectPages(monitor, of: station) }
        }
        #expect(served.withLock { $0 } > segments.count / 3)
        #expect(totals.accepted > 50 && totals.losses.total == 0)
        #expect(station.events.states(of: "ch2") == [.healthy])
    }

    /// Channels with all limits at the minimum or at the maximum that a channel file accepts.
    @Test(arguments: [0, 1_000_000] as [Double])
    func limits_atMinimumOrMaximum_areAccepted(value: Double) async throws {
        let station = try MonitoredStation(
            channels: 2, script: "at 40s for 60s channel 1: no-tags\nat 120s for 30s channel 1: status 503")
        var channels = station.channels(1...1) + [station.channelWithBackup(2, isCompared: true)]
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            for index in channels.indices { channels[index].policy[limit] = value }
        }
        _ = try await station.monitor(channels, for: 240) { monitor, time in
            if time == 150 { Self.expectPages(monitor, of: station) }
        }
    }

    /// An earlier process stored the position of a reader, which may be any number.
    @Test func bookmark_withExtremePosition_isFollowedOrIgnored() async throws {
        let stated = "#EXT-X-MEDIA-SEQUENCE:100\n"
        let listed = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na\n#EXTINF:6,\nb\n"
        for position in [Int.min, .min + 1, -1, 0, 99, 100, 101, 1 << 53, 1 << 61, .max - 1, .max] {
            for text in [listed, listed.replacing("#EXTINF", with: stated + "#EXTINF", maxReplacements: 1)] {
                guard case .media(let playlist) = try Playlist(parsing: Array(text.utf8).span) else {
                    continue
                }
                var follower = PlaylistFollower(startingAfter: position)
                var count = 0
                for load in 0..<20 {
                    count += follower.observe(.playlist(playlist), at: .seconds(6 * load)).newSegments.count
                }
                #expect((0...2).contains(count), "\(position)")
                #expect(follower.lastMediaSequence.map { $0 <= PlaylistNumber.maximumInteger } ?? true)
            }
        }
    }
}
