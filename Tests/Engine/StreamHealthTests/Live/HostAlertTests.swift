import Foundation
import NielsenID3
import StreamHealth
import Testing

@Suite struct HostAlertTests {
    private static func alert(_ channel: Int, _ check: CheckID = .playlistHTTP, since: Double = 0)
        -> ChannelAlert
    {
        ChannelAlert(
            channel: "c\(channel)", check: check, since: since, severity: .fail, detail: "status 503")
    }

    private static func alerts(channels: Int) -> HostAlerts {
        var alerts = HostAlerts()
        for channel in 0..<channels { alerts.assign(channel: "c\(channel)", to: "cdn.example") }
        return alerts
    }

    /// Raises the alerts of the first channels, a second apart; what goes out within a minute.
    private static func notices(failing: Int, of channels: Int) -> [AlertNotice] {
        var alerts = alerts(channels: channels)
        var notices: [AlertNotice] = []
        for channel in 0..<failing {
            notices += alerts.observe(.raise, alert(channel), at: Double(channel))
            notices += alerts.advance(to: Double(channel))
        }
        for second in failing..<60 { notices += alerts.advance(to: Double(second)) }
        return notices
    }

    /// Five channels, and half of the host's: at each number around both.
    @Test func oneAlert_isSentWhereFiveAndHalfOfAHostFail() {
        for (failing, channels, isOne) in [
            (4, 4, false), (4, 5, false), (5, 5, true), (5, 10, true), (5, 11, false), (6, 11, true),
            (9, 20, false), (10, 20, true),
        ] {
            let notices = Self.notices(failing: failing, of: channels)
            let hosts = notices.compactMap { if case .host(.raise, let alert) = $0 { alert } else { nil } }
            #expect(hosts.count == (isOne ? 1 : 0), "\(failing) of \(channels)")
            #expect(notices.count == (isOne ? 1 : failing), "\(failing) of \(channels)")
            guard let host = hosts.first else { continue }
            #expect(host.channels == (0..<failing).map { "c\($0)" }.sorted())
            #expect(host.host == "cdn.example" && host.check == .playlistHTTP && host.severity == .fail)
            #expect(host.detail == "\(failing) channels of cdn.example fail together: status 503")
        }
    }

    /// An outage that spreads over twenty seconds: what was sent before the tenth channel failed counts too.
    @Test func oneAlert_namesTheChannelsThatWereToldBefore_andTheseAreClearedByThemselves() throws {
        var alerts = Self.alerts(channels: 20)
        var notices: [AlertNotice] = []
        for second in 0..<40 {
            if second % 2 == 0 {
                notices += alerts.observe(.raise, Self.alert(second / 2), at: Double(second))
            }
            notices += alerts.advance(to: Double(second))
        }
        let single = notices.compactMap {
            if case .channel(.raise, let alert) = $0 { alert.channel } else { nil }
        }
        #expect(single == ["c0", "c1", "c2", "c3"])
        #expect(notices.count == 5)
        let host = try #require(alerts.openAlerts.first)
        #expect(host.channels == (0..<10).map { "c\($0)" })
        #expect(alerts.observe(.clear, Self.alert(2), at: 50) == [.channel(.clear, Self.alert(2))])
        for channel in 4..<19 { #expect(alerts.observe(.clear, Self.alert(channel), at: 50) == []) }
        #expect(alerts.observe(.clear, Self.alert(19), at: 50) == [.host(.clear, host)])
    }

    /// Alerts a minute apart are no failure together.
    @Test func alerts_thatLieFarApart_stayOnesOfChannels() {
        var alerts = Self.alerts(channels: 6)
        var notices: [AlertNotice] = []
        for channel in 0..<6 {
            let time = Double(channel) * 20
            notices += alerts.observe(.raise, Self.alert(channel), at: time) + alerts.advance(to: time + 10)
        }
        #expect(notices.count == 6 && alerts.openAlerts == [])
    }

    @Test func alert_ofAHostWithFewChannels_isNotHeld() {
        var alerts = Self.alerts(channels: 4)
        #expect(alerts.observe(.raise, Self.alert(0), at: 0) == [.channel(.raise, Self.alert(0))])
        #expect(alerts.observe(.raise, Self.alert(9), at: 0) == [.channel(.raise, Self.alert(9))])
    }

    @Test func alert_ofOneChannelAmongMany_waitsTenSeconds_andIsClearedByItself() {
        var alerts = Self.alerts(channels: 5)
        #expect(alerts.observe(.raise, Self.alert(0), at: 100) == [])
        #expect(alerts.advance(to: 109.5) == [])
        #expect(alerts.advance(to: 110) == [.channel(.raise, Self.alert(0))])
        #expect(alerts.observe(.clear, Self.alert(0), at: 200) == [.channel(.clear, Self.alert(0))])
        // Raised and cleared while it waits: never told.
        #expect(alerts.observe(.raise, Self.alert(1), at: 300) == [])
        #expect(alerts.observe(.clear, Self.alert(1), at: 301) == [])
        #expect(alerts.advance(to: 400) == [])
    }

    /// Several alerts of one channel are one channel.
    @Test func channels_areCountedOnce() {
        var alerts = Self.alerts(channels: 8)
        for check in [CheckID.playlistHTTP, .presenceSilent, .playlistStale, .segmentHTTP, .tagCount] {
            #expect(alerts.observe(.raise, Self.alert(0, check), at: 0) == [])
        }
        #expect(alerts.advance(to: 10).count == 5)
    }

    @Test func hostAlert_isClearedOnce_withTheLastOfItsChannels_overARestart() throws {
        var alerts = Self.alerts(channels: 6)
        var raised: [AlertNotice] = []
        for channel in 0..<6 { raised += alerts.observe(.raise, Self.alert(channel), at: 10) }
        #expect(raised.count == 1)
        let host = try #require(alerts.openAlerts.first)
        #expect(host.id == "cdn.example/10000" && host.channels.count == 5)
        // More of it joins, and nothing is sent.
        #expect(alerts.observe(.raise, Self.alert(5, .presenceSilent), at: 11) == [])
        alerts = try JSONDecoder().decode(HostAlerts.self, from: JSONEncoder().encode(alerts))
        #expect(alerts.openAlerts == [host])
        for channel in 0..<6 { #expect(alerts.observe(.clear, Self.alert(channel), at: 20) == []) }
        #expect(alerts.observe(.clear, Self.alert(5, .presenceSilent), at: 21) == [.host(.clear, host)])
        #expect(alerts.openAlerts == [])
    }

    /// How many channels the host has is known after a restart too.
    @Test func hostAlert_isRaisedAfterARestart() throws {
        var alerts = Self.alerts(channels: 5)
        alerts = try JSONDecoder().decode(HostAlerts.self, from: JSONEncoder().encode(alerts))
        var notices: [AlertNotice] = []
        for channel in 0..<5 { notices += alerts.observe(.raise, Self.alert(channel), at: 10) }
        #expect(notices.count == 1 && alerts.openAlerts.first?.channels.count == 5)
    }

    /// A wall clock that is set back by hours keeps no alert back for hours.
    @Test func alert_thatWaits_isToldWhereTheClockIsSetBack() {
        var alerts = Self.alerts(channels: 5)
        #expect(alerts.observe(.raise, Self.alert(0), at: 10_000) == [])
        #expect(alerts.advance(to: 10_001) == [])
        #expect(alerts.advance(to: 100) == [.channel(.raise, Self.alert(0))])
    }

    @Test func channels_thatMoveOrAreRemoved_countWhereTheyAre() {
        var alerts = Self.alerts(channels: 5)
        alerts.assign(channel: "c4", to: "other.example")
        #expect(alerts.observe(.raise, Self.alert(0), at: 0) == [.channel(.raise, Self.alert(0))])
        alerts.assign(channel: "c4", to: "cdn.example")
        alerts.assign(channel: "c4", to: "cdn.example")
        #expect(alerts.observe(.raise, Self.alert(1), at: 0) == [])
        alerts.assign(channel: "c3", to: nil)
        #expect(alerts.observe(.raise, Self.alert(2), at: 0) == [.channel(.raise, Self.alert(2))])
    }
}
