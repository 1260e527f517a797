import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import StreamMonitor

/// The alerts of channels and of the monitor when the wall clock is wrong, or is set while the channels are followed.
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
            let length = Double(change.alert.since - ManualClock().unixMilliseconds) / 1_000 - Double(seconds)
            #expect((140...160).contains(length))
        }
        #expect((140.0...160).contains(try #require(raised) / .seconds(1)))
        #expect((250.0...360).contains(try #require(cleared) / .seconds(1)))
        #expect(station.events.states(of: "ch1").contains(.silent))
    }

    // MARK: A wrong clock

    /// Channels with content of some age, and a clock that is set a minute after the start.
    struct WrongClock: Sendable, CustomTestStringConvertible {
        /// The change of the clock, in seconds.
        var step: Int64 = 0
        /// The age of the content of each channel, in seconds.
        var delays: [Int64] = [0, 0, 0]
        /// Changes the settings of each channel.
        var change: @Sendable (inout ChannelSettings) -> Void = { _ in }
        /// The detail of the alert; nil if none is raised.
        let detail: String?

        var testDescription: String { "step \(step), delays \(delays)" }
    }

    static let wrongClocks = [
        WrongClock(step: 10_800, detail: Self.detail("3 of 3", "3 h 0 min", isBefore: true)),
        WrongClock(step: -10_800, detail: Self.detail("3 of 3", "3 h 0 min", isBefore: false)),
        WrongClock(step: 360, detail: Self.detail("3 of 3", "6 min", isBefore: true)),
        // As on a machine without a battery for its clock.
        WrongClock(step: -1_799_990_000, detail: Self.detail("3 of 3", "20833 days", isBefore: false)),
        WrongClock(
            step: 3_600, delays: [0, 0, 7_200, 0, 0],
            detail: Self.detail("4 of 5", "1 h 0 min", isBefore: true)),
        // The clock may be right, but only the channels can tell.
        WrongClock(
            delays: [3_600, 3_600, 3_600], detail: Self.detail("3 of 3", "1 h 0 min", isBefore: true)),
        WrongClock(delays: [3_600, 7_200, 10_800, 14_400], detail: nil),
        WrongClock(delays: [3_600, 3_600, 0, 0], detail: nil),
        WrongClock(step: 240, detail: nil),
        WrongClock(step: 3_600, delays: [0, 0], detail: nil),
        WrongClock(
            delays: [3_600, 3_600, 3_600], change: { $0.acceptedChecks = [.timeWallClock] }, detail: nil),
        WrongClock(
            delays: [3_600, 3_600, 3_600], change: { $0.ignoredChecks = [.timeWallClock] }, detail: nil),
        WrongClock(delays: [3_600, 3_600, 3_600], change: { $0.policy[.wallClock] = 7_200 }, detail: nil),
    ]

    private static func detail(_ channels: String, _ time: String, isBefore: Bool) -> String {
        "the tags of \(channels) channels are \(time) \(isBefore ? "before" : "after") the clock of this machine: "
            + "it is wrong\(isBefore ? ", or these channels are delayed" : "")"
    }

    /// The clock is right, then wrong across a restart, then right.
    @Test(arguments: wrongClocks)
    func clock_thatMostTagsContradict_isOneAlert_untilItIsSetRight(_ clock: WrongClock) async throws {
        let delays = clock.delays
        let station = try MonitoredStation(
            channels: delays.count,
            delay: { target in
                let channel = target.dropFirst(3).prefix { $0.isNumber }
                return Int(channel).map { delays[$0 - 1] } ?? 0
            })
        var channels = station.channels(1...delays.count)
        for index in channels.indices { clock.change(&channels[index]) }
        func set(by seconds: Int64) {
            station.clock.setWallClock(unixMilliseconds: station.clock.unixMilliseconds + seconds * 1_000)
        }
        func alerts() -> [String] {
            station.events.compactMap { event in
                guard case .alert(let change, _) = event.kind, change.alert.scope == .monitor else {
                    return nil
                }
                return "\(change.action) \(change.alert.check.rawValue): \(change.alert.detail)"
            }
        }
        let raised = clock.detail.map { ["raise monitor.clock: \($0)"] } ?? []
        let cleared = clock.detail.map { ["clear monitor.clock: \($0)"] } ?? []
        let isWrongFromTheStart = clock.step == 0
        _ = try await station.monitor(channels, for: 45)
        #expect(alerts() == [])
        set(by: clock.step)
        _ = try await station.monitor(channels, for: 120)
        #expect(alerts() == raised)
        _ = try await station.monitor(channels, for: 120)
        #expect(alerts() == raised)
        set(by: -clock.step)
        _ = try await station.monitor(channels, for: 150)
        #expect(alerts() == raised + (isWrongFromTheStart ? [] : cleared))
        // The channels have no alerts of their own, unless one is off by another time.
        if clock.detail != nil, Set(delays).count == 1 {
            let others = station.events.alerts.filter { !$0.contains(" monitor ") }
            #expect(others.isEmpty, Comment(rawValue: others.joined(separator: ", ")))
        }
    }

    /// The tags of one channel are old: it has an alert of its own, once the others show that the clock is right.
    @Test func oneOldChannelOfFour_hasItsOwnAlert() async throws {
        let station = try MonitoredStation(channels: 4, delay: { $0.hasPrefix("/ch2/") ? 7_200 : 0 })
        _ = try await station.monitor(station.channels(1...4), for: 150)
        #expect(station.events.alerts == ["raise ch2 time.wall-clock"], "\(station.events.alerts)")
    }

    /// Without a restart, the alert is raised a minute after the clock was set, and cleared a minute and its hold after
    /// it was set right.
    @Test func alertOfTheClock_followsTheClock() async throws {
        let station = try MonitoredStation(channels: 3)
        var raised: Double?
        var cleared: Double?
        _ = try await station.monitor(station.channels(1...3), for: 420) { monitor, time in
            if time == 120 || time == 240 {
                let step: Int64 = time == 120 ? 7_200_000 : -7_200_000
                station.clock.setWallClock(unixMilliseconds: station.clock.unixMilliseconds + step)
            }
            let alerts = station.events.alerts
            if raised == nil, alerts.contains("raise monitor monitor.clock") { raised = time }
            if cleared == nil, alerts.contains("clear monitor monitor.clock") { cleared = time }
        }
        #expect((180...185).contains(try #require(raised)))
        #expect((330...335).contains(try #require(cleared)))
        #expect(station.events.alerts.count { $0.hasSuffix("monitor monitor.clock") } == 2)
    }

    /// A container may deny the question.
    @Test(arguments: [true, false, nil])
    func clock_thatIsNotSynchronized_isInALineAtTheStart_andInAMetric(isSynchronized: Bool?) async throws {
        let station = try MonitoredStation(channels: 1)
        station.clock.setSynchronized(isSynchronized)
        var values: [String: Double] = [:]
        _ = try await station.monitor(station.channels(1...1), for: 5) { monitor, _ in
            values = try MetricSamples(monitor.metricsText(bufferFolder: station.directory)).values
        }
        #expect(values["dtvr_clock_synchronized"] == isSynchronized.map { $0 ? 1 : 0 })
        #expect(
            station.notes.count { $0.contains("is not synchronized: ") } == (isSynchronized == false ? 1 : 0))
        #expect(station.events.alerts == [])
    }
}
