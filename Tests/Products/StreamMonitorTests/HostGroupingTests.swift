import Foundation
import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import StreamMonitor

@Suite struct HostGroupingTests {
    private static func alert(_ channel: Int, _ check: CheckID = .playlistHTTP, since: Double = 0)
        -> Alert
    {
        Alert(
            scope: .channel("c\(channel)"), check: check, since: since, severity: .fail, detail: "status 503")
    }

    private static func alerts(channels: Int) -> HostGrouping {
        var alerts = HostGrouping()
        for channel in 0..<channels { alerts.assign(channel: "c\(channel)", to: "cdn.example") }
        return alerts
    }

    /// Raises the alerts of the first channels, a second apart, and returns the changes within a minute.
    private static func notices(failing: Int, of channels: Int) -> [AlertChange] {
        var alerts = alerts(channels: channels)
        var notices: [AlertChange] = []
        for channel in 0..<failing {
            notices += alerts.observe(.raised(alert(channel)), at: Double(channel))
            notices += alerts.advance(to: Double(channel))
        }
        for second in failing..<60 { notices += alerts.advance(to: Double(second)) }
        return notices
    }

    /// Five channels, and half of the host's channels: the numbers below, at and above both limits.
    @Test func hostAlert_isSentIfFiveChannelsAndHalfOfTheHostFail() {
        for (failing, channels, isOne) in [
            (4, 4, false), (4, 5, false), (5, 5, true), (5, 10, true), (5, 11, false), (6, 11, true),
            (9, 20, false), (10, 20, true),
        ] {
            let notices = Self.notices(failing: failing, of: channels)
            let hosts = notices.map(\.alert).filter { $0.channel == nil }
            #expect(hosts.count == (isOne ? 1 : 0), "\(failing) of \(channels)")
            #expect(notices.count == (isOne ? 1 : failing), "\(failing) of \(channels)")
            guard let host = hosts.first else { continue }
            #expect(host.channels == (0..<failing).map { "c\($0)" }.sorted())
            #expect(host.subject == "cdn.example" && host.check == .playlistHTTP && host.severity == .fail)
            #expect(host.detail == "\(failing) channels of cdn.example fail together: status 503")
        }
    }

    /// An outage that spreads over twenty seconds: alerts that were sent before the tenth channel failed count too.
    @Test func hostAlert_includesChannelsAlertedBefore_whichAreClearedSeparately() throws {
        var alerts = Self.alerts(channels: 20)
        var notices: [AlertChange] = []
        for second in 0..<40 {
            if second % 2 == 0 {
                notices += alerts.observe(.raised(Self.alert(second / 2)), at: Double(second))
            }
            notices += alerts.advance(to: Double(second))
        }
        let single = notices.compactMap {
            if case .raised(let alert) = $0 { alert.channel } else { nil }
        }
        #expect(single == ["c0", "c1", "c2", "c3"])
        #expect(notices.count == 5)
        let host = try #require(notices.last?.alert)
        #expect(host.channels == (0..<10).map { "c\($0)" })
        #expect(alerts.observe(.cleared(Self.alert(2)), at: 50) == [.cleared(Self.alert(2))])
        for channel in 4..<19 {
            #expect(alerts.observe(.cleared(Self.alert(channel)), at: 50) == [])
            // Three alerts that were sent before are still open; the host's alert covers the others.
            #expect(alerts.openAlerts.first?.channels.count == 3 + 19 - channel)
        }
        #expect(alerts.openAlerts.first?.id == host.id)
        #expect(
            alerts.openAlerts.first?.detail == "4 channels of cdn.example fail together: status 503")
        let clear = try #require(alerts.observe(.cleared(Self.alert(19)), at: 50).first)
        #expect(clear.alert.id == host.id && clear.action == "clear" && clear.alert.channels.count == 20)
        #expect(alerts.openAlerts == [])
    }

    /// Five channels that fail over more than a minute do not fail together.
    @Test func alerts_spreadOverMoreThanAMinute_remainChannelAlerts() {
        var alerts = Self.alerts(channels: 6)
        var notices: [AlertChange] = []
        for channel in 0..<6 {
            let time = Double(channel) * 20
            notices += alerts.observe(.raised(Self.alert(channel)), at: time) + alerts.advance(to: time + 10)
        }
        #expect(notices.count == 6 && alerts.openAlerts == [])
    }

    @Test func alert_ofAHostWithFewChannels_isNotHeld() {
        var alerts = Self.alerts(channels: 4)
        #expect(alerts.observe(.raised(Self.alert(0)), at: 0) == [.raised(Self.alert(0))])
        #expect(alerts.observe(.raised(Self.alert(9)), at: 0) == [.raised(Self.alert(9))])
    }

    @Test func alert_ofOneChannelAmongMany_isHeldTenSeconds_andClearedSeparately() {
        var alerts = Self.alerts(channels: 5)
        #expect(alerts.observe(.raised(Self.alert(0)), at: 100) == [])
        #expect(alerts.advance(to: 109.5) == [])
        #expect(alerts.advance(to: 110) == [.raised(Self.alert(0))])
        #expect(alerts.observe(.cleared(Self.alert(0)), at: 200) == [.cleared(Self.alert(0))])
        // Raised and cleared while it is held: never published.
        #expect(alerts.observe(.raised(Self.alert(1)), at: 300) == [])
        #expect(alerts.observe(.cleared(Self.alert(1)), at: 301) == [])
        #expect(alerts.advance(to: 400) == [])
    }

    /// Several alerts of one channel count as one failing channel.
    @Test func channel_withSeveralAlerts_isCountedOnce() {
        var alerts = Self.alerts(channels: 8)
        for check in [CheckID.playlistHTTP, .presenceSilent, .playlistStale, .segmentHTTP, .tagCount] {
            #expect(alerts.observe(.raised(Self.alert(0, check)), at: 0) == [])
        }
        #expect(alerts.advance(to: 10).count == 5)
    }

    @Test func hostAlert_isClearedOnce_withItsLastChannel_acrossARestart() throws {
        var alerts = Self.alerts(channels: 6)
        var raised: [AlertChange] = []
        for channel in 0..<6 { raised += alerts.observe(.raised(Self.alert(channel)), at: 10) }
        #expect(raised.count == 1)
        let host = try #require(raised.first?.alert)
        #expect(host.id == "cdn.example/10000" && host.channels.count == 5)
        // Another alert joins the host's alert, and nothing is sent.
        #expect(alerts.observe(.raised(Self.alert(5, .presenceSilent)), at: 11) == [])
        let open = alerts.openAlerts
        #expect(open.map(\.id) == [host.id] && open.first?.channels.count == 6)
        alerts = try JSONDecoder().decode(HostGrouping.self, from: JSONEncoder().encode(alerts))
        #expect(alerts.openAlerts == open)
        for channel in 0..<6 { #expect(alerts.observe(.cleared(Self.alert(channel)), at: 20) == []) }
        let clear = try #require(alerts.observe(.cleared(Self.alert(5, .presenceSilent)), at: 21).first)
        #expect(clear.alert.id == host.id && clear.action == "clear" && clear.alert.channels.count == 6)
        #expect(alerts.openAlerts == [])
    }

    /// The number of channels of the host is known after a restart too.
    @Test func hostAlert_isRaisedAfterARestart() throws {
        var alerts = Self.alerts(channels: 5)
        alerts = try JSONDecoder().decode(HostGrouping.self, from: JSONEncoder().encode(alerts))
        var notices: [AlertChange] = []
        for channel in 0..<5 { notices += alerts.observe(.raised(Self.alert(channel)), at: 10) }
        #expect(notices.count == 1 && alerts.openAlerts.first?.channels.count == 5)
    }

    /// A clock that is set back by hours does not delay an alert by hours.
    @Test func heldAlert_isPublishedIfTheClockIsSetBack() {
        var alerts = Self.alerts(channels: 5)
        #expect(alerts.observe(.raised(Self.alert(0)), at: 10_000) == [])
        #expect(alerts.advance(to: 10_001) == [])
        #expect(alerts.advance(to: 100) == [.raised(Self.alert(0))])
    }

    @Test func movedOrRemovedChannels_countForTheirCurrentHost() {
        var alerts = Self.alerts(channels: 5)
        alerts.assign(channel: "c4", to: "other.example")
        #expect(alerts.observe(.raised(Self.alert(0)), at: 0) == [.raised(Self.alert(0))])
        alerts.assign(channel: "c4", to: "cdn.example")
        alerts.assign(channel: "c4", to: "cdn.example")
        #expect(alerts.observe(.raised(Self.alert(1)), at: 0) == [])
        alerts.assign(channel: "c3", to: nil)
        #expect(alerts.observe(.raised(Self.alert(2)), at: 0) == [.raised(Self.alert(2))])
    }

    // MARK: While the alert of a host is open

    /// Channels that are added, fail and are removed while a host fails leave nothing behind.
    @Test func removedChannel_isNotNamedByTheHostAlert() throws {
        var alerts = Self.alertsWithAnOpenHost()
        for number in 100..<200 {
            alerts.assign(channel: "c\(number)", to: "cdn.example")
            _ = alerts.observe(.raised(Self.alert(number, since: 102)), at: 102)
            _ = alerts.observe(.cleared(Self.alert(number, since: 102)), at: 103)
            alerts.assign(channel: "c\(number)", to: nil)
        }
        let final = try #require(Self.clears(&alerts, at: 104).last)
        #expect(final.alert.channels == (0...5).map { "c\($0)" })
    }

    /// Returns a grouping of eight channels of one host: the first five fail at 100 s and the sixth at 101 s.
    private static func alertsWithAnOpenHost(_ check: CheckID = .playlistHTTP) -> HostGrouping {
        var alerts = alerts(channels: 8)
        for channel in 0..<5 { _ = alerts.observe(.raised(alert(channel, check, since: 100)), at: 100) }
        _ = alerts.observe(.raised(alert(5, check, since: 101)), at: 101)
        return alerts
    }

    private static func clears(
        _ alerts: inout HostGrouping, _ check: CheckID = .playlistHTTP, at time: Double
    )
        -> [AlertChange]
    {
        (0..<6).flatMap {
            alerts.observe(.cleared(alert($0, check, since: $0 == 5 ? 101 : 100)), at: time)
        }
    }

    @Test func laterSilence_isPublishedSeparately_andDelaysNoClear() throws {
        var alerts = Self.alertsWithAnOpenHost()
        let host = try #require(alerts.openAlerts.first)
        let silent = Self.alert(6, .presenceSilent, since: 170)
        #expect(alerts.observe(.raised(silent), at: 170) == [])
        #expect(alerts.withheld.contains(silent.id))
        alerts = try JSONDecoder().decode(HostGrouping.self, from: JSONEncoder().encode(alerts))
        #expect(alerts.advance(to: 179) == [])
        #expect(alerts.advance(to: 180) == [.raised(silent)])
        #expect(!alerts.withheld.contains(silent.id) && alerts.withheld.count == 6)
        #expect(Self.clears(&alerts, at: 300) == [.cleared(host)])
        #expect(alerts.observe(.cleared(silent), at: 400) == [.cleared(silent)])
        #expect(alerts.withheld.isEmpty && alerts.openAlerts.isEmpty)
    }

    /// The interval is a minute in both directions, because the clock may be set back.
    @Test func alert_joinsTheHostAlert_withinOneMinute() {
        for (time, joins) in [(160.0, true), (160.1, false), (40, true), (39.9, false)] {
            var alerts = Self.alertsWithAnOpenHost()
            let more = Self.alert(6, since: time)
            #expect(alerts.observe(.raised(more), at: time) == [])
            #expect(alerts.advance(to: time + 10) == (joins ? [] : [.raised(more)]), "\(time)")
            #expect(alerts.withheld.contains(more.id) == joins)
        }
    }

    /// Another fault, of a channel that is not in the host's alert.
    @Test func alert_ofAnotherCheckAndChannel_doesNotJoinTheHostAlert() {
        var alerts = Self.alertsWithAnOpenHost()
        let other = Self.alert(7, .presenceSilent, since: 110)
        #expect(alerts.observe(.raised(other), at: 110) == [])
        #expect(alerts.advance(to: 120) == [.raised(other)])
    }

    @Test func host_withAnOpenAlert_raisesNoSecondOne() throws {
        var alerts = Self.alertsWithAnOpenHost(.infoLate)
        let host = try #require(alerts.openAlerts.first)
        for channel in 0..<8 {
            #expect(alerts.observe(.raised(Self.alert(channel, .presenceSilent, since: 200)), at: 200) == [])
        }
        #expect(alerts.advance(to: 210).count == 8)
        #expect(alerts.openAlerts == [host])
    }

    /// Channels that cannot be loaded become silent two minutes later, which is not a new problem.
    @Test func silence_ofUnreachableChannels_isNotPublished() throws {
        var alerts = Self.alertsWithAnOpenHost()
        let host = try #require(alerts.openAlerts.first)
        let silences = (0..<6).map { Self.alert($0, .presenceSilent, since: 220) }
        for silence in silences { #expect(alerts.observe(.raised(silence), at: 220) == []) }
        #expect(alerts.advance(to: 290) == [] && alerts.withheld.count == 12)
        for silence in silences { #expect(alerts.observe(.cleared(silence), at: 300) == []) }
        #expect(Self.clears(&alerts, at: 310) == [.cleared(host)])
        #expect(alerts.advance(to: 400) == [] && alerts.withheld.isEmpty)
    }

    /// The host works again, but the tags do not return.
    @Test func silence_outlastingTheChannelFailure_isPublished_acrossARestart() throws {
        var alerts = Self.alertsWithAnOpenHost()
        let host = try #require(alerts.openAlerts.first)
        let silences = (0..<2).map { Self.alert($0, .presenceSilent, since: 220) }
        for silence in silences { #expect(alerts.observe(.raised(silence), at: 220) == []) }
        alerts = try JSONDecoder().decode(HostGrouping.self, from: JSONEncoder().encode(alerts))
        #expect(alerts.advance(to: 290) == [])
        #expect(alerts.observe(.cleared(Self.alert(0, since: 100)), at: 300) == [])
        #expect(alerts.advance(to: 310) == [.raised(silences[0])])
        #expect(Self.clears(&alerts, at: 320).contains(.cleared(host)))
        #expect(alerts.advance(to: 330) == [.raised(silences[1])])
        #expect(alerts.withheld.isEmpty)
    }

    /// All channels work again without tags, which raises one alert again.
    @Test func silences_outlastingTheHostAlert_areOneHostAlert() throws {
        var alerts = Self.alertsWithAnOpenHost()
        let host = try #require(alerts.openAlerts.first)
        for channel in 0..<6 {
            #expect(alerts.observe(.raised(Self.alert(channel, .presenceSilent, since: 220)), at: 220) == [])
        }
        let notices = Self.clears(&alerts, at: 300)
        let next = try #require(alerts.openAlerts.first)
        #expect(notices == [.cleared(host), .raised(next)])
        #expect(next.check == .presenceSilent && next.channels.count == 6)
    }
}

extension HostGrouping {
    /// Observes a change at a number of seconds by both clocks.
    fileprivate mutating func observe(_ change: AlertChange, at seconds: Double) -> [AlertChange] {
        observe(change, at: ClockMoment(steady: SteadyTime(seconds: seconds)))
    }

    /// Advances the steady time to a number of seconds.
    fileprivate mutating func advance(to seconds: Double) -> [AlertChange] {
        advance(to: SteadyTime(seconds: seconds))
    }
}

extension ClockMoment {
    /// A moment at which both clocks have the same seconds.
    static func steady(_ seconds: Double) -> ClockMoment { ClockMoment(steady: SteadyTime(seconds: seconds)) }
}
