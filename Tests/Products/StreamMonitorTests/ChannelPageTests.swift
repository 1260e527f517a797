import Foundation
import HTTPServing
import StreamMonitor
import TestSupport
import Testing

/// The page of one channel in a real browser.
@Suite(
    .serialized, .timeLimit(.minutes(30)), .enabled(if: Browser.isInstalled, "chromium is not installed"))
struct ChannelPageTests {
    private static func value(_ expression: String) throws -> String {
        let text = String(decoding: try JSONEncoder().encode([expression]), as: UTF8.self)
        return "{\"value\": \(text.dropFirst().dropLast())}"
    }

    private static func open(_ url: String, width: Int, more: String = "") -> String {
        "{\"open\": \"\(url)channels/ch1\", \"width\": \(width), \"height\": 900\(more)}"
    }

    private static let number = """
        Number([...document.querySelectorAll('.numbers div')].find((item) => item.firstChild.textContent === 'Tags')
            .lastChild.textContent)
        """

    @Test func channelPage_showsTagsFindingsAndAlerts() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 300s for 600s channel 1: no-tags")
        var (desk, phone, live): (Browser.Visit?, Browser.Visit?, Task<Browser.Visit, any Error>?)
        var server: MonitorServer?
        // The browser requests this once it has the page.
        let gate = try LoopbackServer { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")] }
        defer { gate.stop() }
        _ = try await station.monitor(station.channels(1...1), for: 420) { monitor, seconds in
            if seconds == 200 {
                let here = try MonitorServer(station.site(of: monitor), address: "127.0.0.1", port: 0)
                server = here
                // The page reloads its content while the clock advances.
                let url = here.url
                live = Task { [gate] in
                    try await Browser.visit(
                        Self.open(url, width: 1_280), try Self.value(Self.number),
                        "{\"fetch\": \"\(gate.base)/\"}",
                        "{\"wait\": \"document.title.startsWith('silent: ch1')\"}",
                        try Self.value(Self.number),
                        try Self.value("document.querySelectorAll('.tip').length"))
                }
            }
            if seconds == 200 { try await wait(for: "the page") { !gate.requests.isEmpty } }
            guard seconds == 419.5, let server else { return }
            desk = try await Browser.visit(
                Self.open(server.url, width: 1_280),
                try Self.value("document.documentElement.scrollWidth - innerWidth"),
                try Self.value("document.querySelectorAll('.lane.k-data rect').length"),
                try Self.value("document.querySelector('.state').innerText"),
                try Self.value("document.querySelector('.alerts').textContent"),
                try Self.value("document.querySelector('.found').textContent"),
                try Self.value("document.querySelectorAll('tbody tr').length"),
                try Self.value(
                    "[...document.querySelectorAll('figcaption strong')].map((e) => e.textContent).join()"),
                // The keys select the last tag of the plot. The links to the overview and to the check of the alert
                // come first.
                "{\"key\": \"Tab\"}", "{\"key\": \"Tab\"}", "{\"key\": \"Tab\"}", "{\"key\": \"End\"}",
                try Self.value("document.querySelector('.tip:not([hidden]) b').textContent"))
            phone = try await Browser.visit(
                Self.open(server.url, width: 390, more: ", \"touch\": true"),
                try Self.value("document.documentElement.scrollWidth - innerWidth"))
            let visit = try await #require(live).value
            #expect(visit.complaints.isEmpty)
            #expect(visit.number(1) > visit.number(0))
            // There is one readout per plot, and none remains from earlier reloads.
            #expect(visit.number(2) == 4, "\(visit.number(2)) readouts")
        }
        let seen = try #require(desk)
        #expect(seen.complaints.isEmpty && phone?.complaints.isEmpty == true)
        #expect(seen.number(0) == 0 && phone?.number(0) == 0)
        // The tags of the first window and of five minutes, one every ten seconds.
        #expect((28...36).contains(seen.number(1)), "\(seen.number(1))")
        #expect(seen.text(2).contains("silent") && seen.text(2).contains("no DATA tag"))
        #expect(seen.text(3).contains("presence.silent") && seen.text(4).contains("presence.silent"))
        #expect(seen.number(5) == 10)
        #expect(seen.text(6).hasPrefix("Tags,Spacing of DATA tags"), "\(seen.text(6))")
        #expect(seen.text(7).contains(#/(DATA|INFO) \d+ at \d\d:\d\d:\d\d UTC/#), "\(seen.text(7))")
    }

    @Test func hostileName_onChannelPage_isShownAsText() async throws {
        let station = try MonitoredStation(channels: 1)
        var settings = ChannelSettings(id: "ch1", url: "http://127.0.0.1:9/a.m3u8")
        settings.name = "</title><script>document.title='taken'</script><img src=x>"
        var visit: Browser.Visit?
        _ = try await station.monitor([settings], for: 2) { monitor, seconds in
            guard seconds == 1.5 else { return }
            let server = try MonitorServer(station.site(of: monitor), address: "127.0.0.1", port: 0)
            visit = try await Browser.visit(
                Self.open(server.url, width: 1_280),
                try Self.value("document.querySelector('h2 bdi').textContent"),
                try Self.value("document.title"),
                try Self.value("document.querySelectorAll('img').length + document.scripts.length"))
        }
        let seen = try #require(visit)
        #expect(seen.complaints.isEmpty)
        #expect(seen.text(0) == settings.name && seen.text(1).contains(settings.name))
        #expect(seen.number(2) == 1)
    }
}
