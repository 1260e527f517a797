import Foundation
import HTTPServing
import NielsenID3
import StreamHealth
import Testing

@testable import StreamMonitor

/// Acknowledgments and mutes of alerts: by people, with a name and an end.
@Suite(.timeLimit(.minutes(30))) struct AlertHandlingTests {
    private static func attribution(_ seconds: Int64, until end: Int64) -> AlertHandling.Attribution {
        AlertHandling.Attribution(by: "Ann", at: seconds * 1_000, until: end * 1_000)
    }

    private static func actions(_ events: [MonitorEvent]) -> [String] {
        events.compactMap { event in
            guard case .alert(let change, _) = event.kind else { return nil }
            return "\(change.action) \(change.alert.subject)"
        }
    }

    /// A muted alert is not sent, and neither is its clear.
    @Test func mutedAlert_isNotSent_andIsSentWhenTheMuteEndsWhileItIsOpen() throws {
        let folder = try AlertFolder()
        let store = AlertStore(path: folder.file)
        _ = try store.handle { handling throws(ChannelChangeError) in
            try handling.mute(channel: "one", check: nil, Self.attribution(0, until: 100))
        }
        store.observe(.raised(AlertFolder.alert("one", since: 10)), at: 10_000)
        store.observe(.raised(AlertFolder.alert("two", since: 10)), at: 10_000)
        #expect(Self.actions(store.settle(at: 10_000)) == ["raise two"])
        #expect(store.published.map(\.subject).sorted() == ["one", "two"])
        #expect(Self.actions(store.settle(at: 99_000)) == [])
        #expect(Self.actions(store.settle(at: 100_000)) == ["raise one"])
        #expect(store.handling.mutes.isEmpty)
        store.observe(.cleared(AlertFolder.alert("one", since: 10)), at: 120_000)
        #expect(Self.actions(store.settle(at: 120_000)) == ["clear one"])
        _ = try store.handle { handling throws(ChannelChangeError) in
            try handling.mute(channel: "one", check: "presence.silent", Self.attribution(200, until: 300))
        }
        store.observe(.raised(AlertFolder.alert("one", since: 210)), at: 210_000)
        store.observe(.cleared(AlertFolder.alert("one", since: 210)), at: 220_000)
        #expect(Self.actions(store.settle(at: 400_000)) == [])
    }

    /// A receiver that has an alert gets its clear, although the channel was muted meanwhile.
    @Test func alertSentBeforeTheMute_isCleared_andAnotherCheckIsNotMuted() throws {
        let folder = try AlertFolder()
        let store = AlertStore(path: folder.file)
        store.observe(.raised(AlertFolder.alert("one")), at: 1_000_000)
        #expect(Self.actions(store.settle(at: 1_000_000)) == ["raise one"])
        _ = try store.handle { handling throws(ChannelChangeError) in
            try handling.mute(channel: "one", check: "time.gap", Self.attribution(1_000, until: 2_000))
        }
        let other = Alert(
            scope: .channel("one"), check: CheckID("playlist.http"), since: 1_001, severity: .fail, detail: ""
        )
        store.observe(.raised(other), at: 1_001_000)
        store.observe(.cleared(AlertFolder.alert("one")), at: 1_001_000)
        #expect(Self.actions(store.settle(at: 1_001_000)) == ["raise one", "clear one"])
    }

    @Test func handling_isKeptOverARestart_andForgottenWithItsAlert() throws {
        let folder = try AlertFolder()
        let alert = AlertFolder.alert("one")
        var store = AlertStore(path: folder.file)
        store.observe(.raised(alert), at: 1_000_000)
        try store.handle { handling throws(ChannelChangeError) in
            try handling.acknowledge(alert.id, Self.attribution(1_000, until: 5_000))
        }
        _ = try store.handle { handling throws(ChannelChangeError) in
            try handling.mute(channel: nil, check: nil, Self.attribution(1_000, until: 9_000))
        }
        _ = store.settle(at: 1_000_000)
        let handling = store.handling
        store = AlertStore(path: folder.file)
        #expect(store.handling == handling && handling.acknowledgments[alert.id]?.by == "Ann")
        store.observe(.cleared(alert), at: 1_001_000)
        _ = store.settle(at: 1_001_000)
        store = AlertStore(path: folder.file)
        #expect(store.handling.acknowledgments.isEmpty && store.handling.mutes.count == 1)
        _ = store.settle(at: 9_000_000)
        #expect(AlertStore(path: folder.file).handling.isEmpty)
    }

    /// The file of alerts is as before without an acknowledgment or a mute.
    @Test func file_withoutHandling_hasNoKeyForIt() throws {
        let folder = try AlertFolder()
        let store = AlertStore(path: folder.file)
        store.observe(.raised(AlertFolder.alert("one")), at: 1_000_000)
        _ = store.settle(at: 1_000_000)
        #expect(!(try String(contentsOfFile: folder.file, encoding: .utf8)).contains("handling"))
    }

    @Test(arguments: [
        #"{"by":"","for":"1h"}"#, #"{"by":" ","for":"1h"}"#, #"{"for":"1h"}"#, #"{"by":"Ann"}"#,
        #"{"by":"Ann","for":"0"}"#, #"{"by":"Ann","for":"31d"}"#, #"{"by":"Ann","for":"soon"}"#, "[]", "",
        #"{"by":7,"for":"1h"}"#, "{\"by\":\"\(String(repeating: "x", count: 65))\",\"for\":\"1h\"}",
    ])
    func request_withoutNameOrEnd_isRefused(body: String) {
        #expect(throws: ChannelChangeError.self) {
            try AlertHandlingRequest(json: Array(body.utf8)).attribution(at: 0)
        }
    }

    @Test func site_acknowledgesAndMutes_withTheTokenOnly_andEscapesNames() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 20s for 600s channel 1: no-tags")
        let token = "a-token-of-tests-0123"
        _ = try await station.monitor(station.channels(1...1), for: 100) { monitor, seconds in
            guard seconds == 90 else { return }
            let site = station.site(of: monitor, token: token)
            let bearer = ["Authorization": "Bearer \(token)"]
            func answer(_ method: String, _ path: String, _ body: String, _ fields: [String: String])
                -> HTTPServerAnswer
            { site.answer(to: .local(method, path, fields), body: Array(body.utf8)) }
            let id = monitor.publishedAlerts.first?.id ?? ""
            let said = #""by":"<b>Ann</b>","for":"2h""#
            let acknowledge = "{\"alert\":\"\(id)\",\(said)}"
            let mute = "{\"channel\":\"ch1\",\"check\":\"time.gap\",\(said)}"
            #expect(answer("POST", "/api/acknowledgments", acknowledge, [:]).status == 401)
            #expect(
                station.site(of: monitor).answer(
                    to: .local("POST", "/api/mutes"), body: Array(mute.utf8)
                ).status == 403)
            #expect(answer("POST", "/api/acknowledgments", acknowledge, bearer).status == 200)
            #expect(
                answer("POST", "/api/acknowledgments", "{\"alert\":\"none\",\(said)}", bearer).status == 400)
            #expect(answer("POST", "/api/mutes", mute, bearer).status == 201)
            #expect(answer("POST", "/api/mutes", "{\"monitor\":true,\(said)}", bearer).status == 201)
            for wrong in [
                "{\"channel\":\"ch9\",\(said)}", "{\(said)}",
                "{\"channel\":\"ch1\",\"monitor\":true,\(said)}",
                "{\"channel\":\"ch1\",\"check\":\"none\",\(said)}",
            ] {
                #expect([400, 404].contains(answer("POST", "/api/mutes", wrong, bearer).status), "\(wrong)")
            }
            let page = String(decoding: answer("GET", "/channels/ch1", "", bearer).body, as: UTF8.self)
            #expect(page.contains("Acknowledged by <bdi>&lt;b&gt;Ann&lt;/b&gt;</bdi>"), "\(page)")
            #expect(page.contains("data-act=\"mute\"") && !page.contains("<b>Ann"))
            let details = String(decoding: answer("GET", "/api/channels/ch1", "", bearer).body, as: UTF8.self)
            #expect(details.contains(#""acknowledged":{"by":"<b>Ann</b>","at":"#))
            let list = String(decoding: answer("GET", "/api/mutes", "", bearer).body, as: UTF8.self)
            #expect(
                list.hasPrefix(#"{"mutes":[{"id":1,"channel":"ch1","check":"time.gap","by":"<b>Ann</b>""#))
            #expect(answer("DELETE", "/api/mutes/1", "", [:]).status == 401)
            #expect(answer("DELETE", "/api/mutes/1", "", bearer).status == 204)
            #expect(answer("DELETE", "/api/mutes/1", "", bearer).status == 404)
            // Without a token, the pages have no buttons.
            let readOnly = station.site(of: monitor)
            for path in ["/", "/channels/ch1"] {
                let text = String(decoding: readOnly.answer(to: .local("GET", path)).body, as: UTF8.self)
                #expect(!text.contains("<dialog"), "\(path)")
            }
        }
    }

    @Test func check_isAPageForABrowser_withItsAlertsAndTheWayBack() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 20s for 600s channel 1: no-tags")
        _ = try await station.monitor(station.channels(1...1), for: 100) { monitor, seconds in
            guard seconds == 90 else { return }
            let site = station.site(of: monitor)
            let page = site.answer(to: .local("GET", "/checks/presence.silent", ["Accept": "text/html"]))
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(page.status == 200 && text.contains("<title>presence.silent – dtvr monitor</title>"))
            #expect(text.contains("width=device-width") && text.contains("<h3>What to do</h3>"))
            #expect(text.contains("href=\"../\"") && text.contains("href=\"../channels/ch1\""))
            let other = site.answer(to: .local("GET", "/checks/time.gap", ["Accept": "text/html"]))
            #expect(!String(decoding: other.body, as: UTF8.self).contains("Active alerts of this check"))
            let none = site.answer(to: .local("GET", "/checks/none", ["Accept": "text/html"]))
            #expect(none.status == 404)
        }
    }

    /// After the sign-in, a browser is where it wanted to be, and never at another server.
    @Test(arguments: [
        ("/channels/ch1", "/channels/ch1"), ("/", "/"), ("", "/"), ("//evil.example", "/evil.example"),
        ("https://evil.example/", "/https%3A/evil.example"), ("/\\evil.example", "/%5Cevil.example"),
        ("/a\r\nSet-Cookie: x", "/a%0D%0ASet-Cookie%3A%20x"), ("/sign-in", "/"),
        ("/checks/\"><b>", "/checks/%22%3E%3Cb%3E"),
        ("\t//evil.example", "/%09/evil.example"), ("/%2F/evil", "/%252F/evil"),
    ])
    func signIn_returnsToAPathOfThisServer(asked: String, expected: String) {
        #expect(SignInPage.ownPath(asked) == expected)
    }

    @Test func signIn_returnsToTheAskedPage() async throws {
        let station = try MonitoredStation(channels: 1)
        let token = "a-token-of-tests-0123"
        _ = try await station.monitor(station.channels(1...1), for: 1) { monitor, seconds in
            guard seconds == 0 else { return }
            let site = station.site(of: monitor, token: token)
            let page = site.answer(to: .local("GET", "/channels/ch1", ["Accept": "text/html"]))
            #expect(
                String(decoding: page.body, as: UTF8.self).contains("name=\"next\" value=\"/channels/ch1\""))
            let form = "next=%2Fchannels%2Fch1&token="
            let wrong = site.answer(to: .local("POST", "/sign-in"), body: Array((form + "no").utf8))
            #expect(
                String(decoding: wrong.body, as: UTF8.self).contains("name=\"next\" value=\"/channels/ch1\""))
            let right = site.answer(to: .local("POST", "/sign-in"), body: Array((form + token).utf8))
            #expect(right.fields.contains(.init(name: "Location", value: "/channels/ch1")))
        }
    }

    private static func mute(_ store: AlertStore, _ channel: String = "one") throws -> AlertHandling.Mute {
        try store.handle { handling throws(ChannelChangeError) in
            try handling.mute(channel: channel, check: nil, attribution(0, until: 9_000))
        }
    }

    /// A kill at any time after the answer loses neither a mute nor an acknowledgment.
    @Test func change_isOnTheDiskOnReturn() throws {
        let folder = try AlertFolder()
        let alert = AlertFolder.alert("one")
        let store = AlertStore(path: folder.file)
        store.observe(.raised(alert), at: 1_000_000)
        #expect(store.settle(at: 1_000_000).count == 1)
        let mute = try Self.mute(store)
        #expect(AlertStore(path: folder.file).handling.mutes == [mute])
        try store.handle { handling throws(ChannelChangeError) in
            try handling.acknowledge(alert.id, Self.attribution(1_000, until: 5_000))
        }
        var restarted = AlertStore(path: folder.file)
        #expect(restarted.handling.acknowledgments.keys.map(\.self) == [alert.id])
        #expect(restarted.isActive(alert.id))
        let isEnded = try store.handle { handling throws(ChannelChangeError) in handling.unmute(mute.id) }
        #expect(isEnded && AlertStore(path: folder.file).handling.mutes.isEmpty)
        // The number of a mute is not used again.
        restarted = AlertStore(path: folder.file)
        #expect(try Self.mute(restarted).id == mute.id + 1)
    }

    /// An alert that is not sent yet is raised again after a kill, as without the mute.
    @Test func change_doesNotSaveAlertsThatAreNotSent() throws {
        let folder = try AlertFolder()
        let store = AlertStore(path: folder.file)
        let alert = AlertFolder.alert("two")
        store.observe(.raised(alert), at: 1_000_000)
        _ = try Self.mute(store)
        let restarted = AlertStore(path: folder.file)
        #expect(!restarted.isActive(alert.id) && restarted.handling.mutes.count == 1)
        restarted.observe(.raised(alert), at: 1_001_000)
        #expect(Self.actions(restarted.settle(at: 1_001_000)) == ["raise two"])
    }

    /// The contents that the monitor is about to save do not replace a change that was saved meanwhile.
    @Test func change_whileAlertsAreBeingSaved_isKept() throws {
        let folder = try AlertFolder()
        let store = AlertStore(path: folder.file)
        let alert = AlertFolder.alert("two")
        store.observe(.raised(alert), at: 1_000_000)
        let (_, contents) = store.takeChanges(at: .steady(1_000_000))
        let mute = try Self.mute(store)
        store.save(contents, queueing: [])
        let restarted = AlertStore(path: folder.file)
        #expect(restarted.handling.mutes == [mute] && restarted.isActive(alert.id))
    }

    @Test func change_thatCannotBeSaved_isRefused() throws {
        let folder = try AlertFolder()
        let store = AlertStore(path: folder.path + "/none/alerts.json")
        #expect(throws: ChannelChangeError.self) { try Self.mute(store) }
        #expect(store.handling.isEmpty)
    }
}
