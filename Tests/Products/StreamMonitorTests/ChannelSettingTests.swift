import HostSystem
import StreamHealth
import StreamMonitor
import TestSupport
import Testing

/// The effect of a channel's settings on how it is followed.
@Suite(.timeLimit(.minutes(30))) struct ChannelSettingTests {
    /// Returns the quiet hours in local time that start and end some minutes before or after a moment.
    static func hours(_ minutes: ClosedRange<Int>, around time: Int64) throws -> QuietHours {
        let now = SystemClock.minuteOfDay(unixSeconds: Double(time) / 1_000)
        let texts = [minutes.lowerBound, minutes.upperBound].map { offset -> String in
            let (hour, minute) = ((now + offset + 1_440) % 1_440).quotientAndRemainder(dividingBy: 60)
            return "\(hour / 10)\(hour % 10):\(minute / 10)\(minute % 10)"
        }
        return try #require(QuietHours(texts.joined(separator: "-")))
    }

    /// Quiet hours are in the local time of the monitor.
    @Test(arguments: [(-5...5, true), (120...180, false)])
    func quiet_duringItsHours_allowsMissingTags(minutes: ClosedRange<Int>, isQuiet: Bool) async throws {
        let station = try MonitoredStation(channels: 1, script: "at 0s for 600s channel 1: no-tags")
        var channel = station.channels(1...1)[0]
        channel.quiet = try Self.hours(minutes, around: station.clock.unixMilliseconds)
        _ = try await station.monitor([channel], for: 90)
        #expect(station.events.states(of: "ch1").last == (isQuiet ? .paused : .silent))
        #expect(station.events.alerts.isEmpty == isQuiet, "\(station.events.alerts)")
    }

    @Test(arguments: [false, true])
    func expectTagsInAds_makesABreakWithoutTagsSilent(isExpected: Bool) async throws {
        let station = try MonitoredStation(channels: 1, script: "at 60s for 90s channel 1: ad-break")
        var channel = station.channels(1...1)[0]
        channel.expectsTagsInBreaks = isExpected
        _ = try await station.monitor([channel], for: 180)
        #expect(station.events.states(of: "ch1").contains(.silent) == isExpected)
    }

    /// A channel is tried every half minute, however long it has been down.
    @Test func channelThatCannotBeOpened_isRetriedEvery30Seconds() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 0s for 900s channel 1: status 503")
        var counts: [Int] = []
        _ = try await station.monitor(station.channels(1...1), for: 300) { _, seconds in
            if [120, 299].contains(seconds) { counts.append(station.requestCount) }
        }
        // Each attempt makes two requests, and the attempts are at most 37.5 s apart.
        let tries = (try #require(counts.last) - counts[0]) / 2
        #expect(counts.count == 2 && (4...9).contains(tries), "\(counts)")
    }
}
