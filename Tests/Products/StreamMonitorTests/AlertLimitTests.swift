import StreamHealth
import TestSupport
import Testing

@testable import StreamMonitor

/// The effect of the alert limits on the channels of a monitor, below and above their values.
@Suite(.timeLimit(.minutes(30))) struct AlertLimitTests {
    /// Returns the alerts of a channel with a limit, each with its time in seconds after the start.
    private static func alerts(
        _ script: String, _ limit: HealthLimit, _ value: Double, for seconds: Double,
        without missing: [String] = []
    ) async throws -> [(text: String, seconds: Double)] {
        let station = try MonitoredStation(
            channels: 1, script: script,
            fault: { target, _, _ in
                missing.contains { target.hasSuffix($0) } ? .status("404 Not Found") : nil
            })
        var channel = station.channels(1...1)[0]
        channel.policy[limit] = value
        let start = station.clock.unixMilliseconds
        _ = try await station.monitor([channel], for: seconds)
        return station.events.compactMap { event in
            [event].alerts.first.map { ($0, Double(event.time - start) / 1_000) }
        }
    }

    /// A segment fails, and another one forty seconds later.
    @Test func alertRepeat_isTheMaximumIntervalToASecondFinding() async throws {
        let missing = ["/seg1014.ts", "/seg1020.ts"]
        let near = try await Self.alerts("", .alertRepeat, 60, for: 180, without: missing)
        #expect(near.map(\.text).prefix(1) == ["raise ch1 segment.http"])
        let far = try await Self.alerts("", .alertRepeat, 20, for: 180, without: missing)
        #expect(!far.contains { $0.text.hasSuffix("segment.http") })
    }

    @Test(arguments: [(HealthLimit.alertClear, 10.0, 60.0), (.alertClearTags, 2, 6)])
    func alertClear_determinesHowLongAnAlertStaysOpen(limit: HealthLimit, usual: Double, longer: Double)
        async throws
    {
        let script = "at 60s for 60s channel 1: no-tags"
        var times: [Double] = []
        for value in [usual, longer] {
            let alerts = try await Self.alerts(script, limit, value, for: 300)
                .filter { $0.text.hasSuffix("presence.silent") }
            #expect(alerts.map(\.text) == ["raise ch1 presence.silent", "clear ch1 presence.silent"])
            times.append(try #require(alerts.last).seconds)
        }
        // The sixth tag is forty seconds later than the second.
        #expect(times[1] - times[0] >= 35 && times[1] - times[0] <= 70)
    }
}
