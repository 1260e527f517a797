import StreamHealth
import StreamMonitor
import TagStore
import Testing

/// Channels that are paused and resumed manually.
@Suite(.timeLimit(.minutes(30))) struct ChannelPauseTests {
    @Test func pausedChannel_isNotLoaded_andResumesWithoutDuplicateTags() async throws {
        let station = try MonitoredStation(channels: 1)
        let channels = station.channels(1...1)
        var counts: [Int] = []
        let totals = try await station.monitor(channels, for: 100) { monitor, seconds in
            switch seconds {
            case 60: monitor.follow(channels, paused: ["ch1"])
            case 61, 70: counts.append(station.requestCount)
            case 71:
                #expect(monitor.isReady)
                #expect(monitor.snapshots.map(\.state) == [.paused])
                monitor.follow(channels)
            default: break
            }
        }
        #expect(counts.count == 2 && counts[0] == counts[1])
        #expect(station.events.states(of: "ch1") == [.healthy, .paused, .connecting, .healthy])
        #expect(station.events.alerts.isEmpty)
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners).count == Int(totals.accepted))
        // Some tags are older than the start. The playlist's window is longer than the pause, so no tag is missing.
        #expect((12...15).contains(totals.accepted))
    }

    @Test func pause_clearsTheAlertsOfTheChannel() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 30s for 600s channel 1: no-tags")
        let channels = station.channels(1...1)
        _ = try await station.monitor(channels, for: 100) { monitor, seconds in
            if seconds == 90 { monitor.follow(channels, paused: ["ch1"]) }
        }
        #expect(station.events.alerts == ["raise ch1 presence.silent", "clear ch1 presence.silent"])
    }

    @Test func channel_pausedFromTheStart_isNotLoaded() async throws {
        let station = try MonitoredStation(channels: 1)
        let channels = station.channels(1...1)
        _ = try await station.monitor([], for: 20) { monitor, seconds in
            if seconds == 0 { monitor.follow(channels, paused: ["ch1"]) }
            // The monitor is ready without an attempt to load a paused channel.
            if seconds == 10 { #expect(monitor.isReady) }
        }
        #expect(station.requestCount == 0)
        #expect(station.events.states(of: "ch1") == [.paused])
    }
}
