import StreamHealth
import Testing

@testable import StreamMonitor
@testable import dtvr

/// The table of channels on a terminal.
@Suite struct ChannelTableTests {
    private static func channel(_ id: String, _ state: ChannelState) -> ChannelSnapshot {
        var channel = ChannelSnapshot(id: id, name: id)
        channel.state = state
        return channel
    }

    private static func lines(_ channels: [ChannelSnapshot], height: Int) -> [String] {
        ChannelTable(width: 80, height: height).lines(
            of: channels, summary: MonitorSummary(), buffer: "0 waiting", now: 0)
    }

    /// The worst channels come first; channels in the same state are sorted by name.
    @Test func channels_inWorseStates_areListedFirst() {
        let states: [ChannelState] = [
            .ended, .healthy, .silent, .paused, .unreachable, .connecting, .degraded, .silent,
        ]
        let channels = states.enumerated().map { Self.channel("ch\($0.offset)", $0.element) }
        let ids = Self.lines(channels, height: 50).dropFirst().dropLast().map { $0.prefix { $0 != " " } }
        #expect(ids == ["ch4", "ch0", "ch2", "ch7", "ch6", "ch5", "ch1", "ch3"])
    }

    /// The end of a channel that may end is no problem.
    @Test func endedChannel_thatMayEnd_isListedLast() {
        var channels = ["ch0", "ch1", "ch2"].map { Self.channel($0, .ended) }
        channels[0].mayEnd = true
        channels.append(Self.channel("ch3", .healthy))
        let ids = Self.lines(channels, height: 50).dropFirst().dropLast().map { $0.prefix { $0 != " " } }
        #expect(ids == ["ch1", "ch2", "ch3", "ch0"])
    }

    /// The sum of the durations in a playlist can be any number.
    @Test(arguments: [
        (12.4, " 12 s"), (1e14, " 100000000000000 s"), (1e300, " - s"), (.infinity, " - s"), (.nan, " - s"),
    ])
    func secondsBehindLive_outOfRange_areNotShown(seconds: Double, text: String) {
        var channel = Self.channel("ch1", .healthy)
        channel.secondsBehindLive = seconds
        #expect(Self.lines([channel], height: 50)[1].contains(text))
    }

    /// With any number of channels, the table fits, with a free line for the cursor.
    @Test(arguments: [0, 1, 7, 8, 100], [1, 4, 10])
    func table_neverExceedsTheTerminalHeight(count: Int, height: Int) {
        let channels = (0..<count).map { Self.channel("ch\($0)", $0 == 0 ? .silent : .healthy) }
        let lines = Self.lines(channels, height: height)
        #expect(lines.count <= max(3, height - 1), "\(lines)")
        let room = max(1, height - 3)
        if count <= room {
            #expect(lines.count == count + 2)
        } else {
            #expect(lines[lines.count - 2].hasPrefix("… and \(count - room + 1) more: "), "\(lines)")
        }
    }
}
