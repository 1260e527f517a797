import StreamHealth
import StreamMonitor
import TestSupport
import Testing

/// The alerts of channels when the wall clock is set while the channels are followed.
@Suite struct ChangedClockTests {
    @Test(arguments: [-3_600, 0, 3_600])
    func silence_afterWallClockStep_isRaisedAndClearedOnTime(seconds: Int64) async throws {
        let station = try MonitoredStation(channels: 1, script: "at 120s for 120s channel 1: no-tags")
        let start = station.clock.sinceBoot
        var raised: Duration?
        var cleared: Duration?
        _ = try await station.monitor(station.channels(1...1), for: 420) { monitor, time in
            if time == 60 {
                let now = station.clock.unixMilliseconds
                station.clock.setWallClock(unixMilliseconds: now + seconds * 1_000)
            }
            let isOpen = monitor.details(of: "ch1")?.alerts.contains { $0.check == .presenceSilent } ?? false
            if isOpen, raised == nil { raised = station.clock.sinceBoot - start }
            if !isOpen, raised != nil, cleared == nil { cleared = station.clock.sinceBoot - start }
        }
        let alerts = station.events.filter {
            if case .alert(let change, _) = $0.kind { change.alert.check == .presenceSilent } else { false }
        }
        #expect(alerts.count == 2)
        for case .alert(let change, _) in alerts.map(\.kind) {
            // The alert states the time by the wall clock that the operator sees.
            let length = change.alert.since - Double(ManualClock().unixMilliseconds) / 1_000 - Double(seconds)
            #expect((140...160).contains(length))
        }
        #expect((140.0...160).contains(try #require(raised) / .seconds(1)))
        #expect((250.0...360).contains(try #require(cleared) / .seconds(1)))
        #expect(station.events.states(of: "ch1").contains(.silent))
    }
}
