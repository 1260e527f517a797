import Foundation
import HTTPServing
import StreamMonitor
import Synchronization
import TestSupport
import Testing

/// The page of all channels: the response, and its behavior in a browser.
@Suite(.serialized, .timeLimit(.minutes(30))) struct OverviewPageTests {
    /// Returns a step that evaluates an expression.
    private static func value(_ expression: String) throws -> String {
        let text = String(decoding: try JSONEncoder().encode([expression]), as: UTF8.self)
        return "{\"value\": \(text.dropFirst().dropLast())}"
    }

    /// Returns a step that waits until `count` channels are drawn.
    private static func awaitChannels(_ count: Int) -> String {
        "{\"wait\": \"document.querySelectorAll('#channels li').length === \(count)\"}"
    }

    private static let labels = """
        [...document.querySelectorAll('#channels a')].slice(0, 3).map((cell) => cell.getAttribute('aria-label')).join('\\n')
        """

    @Test func page_loadsNothingExternal_andRunsOnlyItsOwnCode() async throws {
        let station = try MonitoredStation(channels: 1)
        var page: HTTPServerAnswer?
        _ = try await station.monitor([], for: 0.5) { monitor, _ in
            page = station.site(of: monitor).answer(
                to: .local("GET", "/"))
        }
        let answer = try #require(page)
        let fields = Dictionary(uniqueKeysWithValues: answer.fields.map { ($0.name, $0.value) })
        let policy = try #require(fields["Content-Security-Policy"])
        #expect(fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(fields["Referrer-Policy"] == "no-referrer")
        #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-"))
        #expect(policy.contains("; connect-src 'self'; img-src data:; "))
        #expect(policy.hasSuffix("; frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
        // Python computes the digests of the code in the page, and searches for addresses.
        let script = """
            import base64, hashlib, re, sys
            page = sys.stdin.read()
            # The name of a namespace, which browsers do not load.
            rest = page.replace("http://www.w3.org/2000/svg", "")
            for name in ("script", "style"):
                codes = re.findall(f"<{name}>(.*?)</{name}>", page, re.S)
                assert len(codes) == 1, name
                print(base64.b64encode(hashlib.sha256(codes[0].encode()).digest()).decode())
            outside = re.findall(r"(?:src|href|action)=.?https?:|url\\(|@import|//[a-z]+\\.", rest)
            print(outside)
            """
        let finished = try await FinishedProcess.of(
            "/usr/bin/env", ["python3", "-c", script], input: Data(answer.body))
        let lines = String(decoding: finished.output, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 3, "\(String(decoding: finished.errors, as: UTF8.self))")
        #expect(policy.contains("script-src 'sha256-\(lines[0])'"))
        #expect(policy.contains("style-src 'sha256-\(lines[1])'"))
        #expect(lines[2] == "[]")
    }

    @Test(.enabled(if: Browser.isInstalled, "chromium is not installed"))
    func thousandChannels_areUpdatedLive_withFailingOnesFirst() async throws {
        let station = try MonitoredStation(
            channels: 1_000,
            script: "at 20s for 600s channel 17: status 503\nat 10s for 600s channel 404: no-tags")
        var (server, live): (MonitorServer?, Task<Browser.Visit, any Error>?)
        var (before, desk, phone): (Browser.Visit?, Browser.Visit?, Browser.Visit?)
        _ = try await station.monitor(station.channels(1...1_000), for: 60) { monitor, seconds in
            if seconds == 12 {
                let here = try MonitorServer(
                    station.site(of: monitor), address: "127.0.0.1", port: 0)
                server = here
                before = try await Browser.visit(
                    "{\"open\": \"\(here.url)\"}", Self.awaitChannels(1_000),
                    try Self.value("document.title"), try Self.value("overall.className"))
                // The page stays open while the clock advances.
                let url = here.url
                live = Task {
                    try await Browser.visit(
                        "{\"open\": \"\(url)\"}", Self.awaitChannels(1_000), "{\"heap\": true}",
                        "{\"wait\": \"document.title.startsWith('1 unreachable, 1 silent')\"}",
                        "{\"heap\": true}", try Self.value(Self.labels),
                        try Self.value("document.querySelector('.lost-contact') === null"))
                }
            }
            guard seconds == 59, let server else { return }
            let visit = try await #require(live).value
            #expect(visit.complaints.isEmpty)
            // Apart from garbage, the memory in use does not grow with the events.
            #expect(
                visit.number(1) < 1.25 * visit.number(0), "\(visit.number(0)) to \(visit.number(1)) bytes")
            let worst = visit.text(2).split(separator: "\n").map(String.init)
            try #require(worst.count == 3)
            #expect(worst[0].hasPrefix("ch17: unreachable, ") && worst[0].contains("503"), "\(worst)")
            #expect(worst[1].hasPrefix("ch404: silent, ") && worst[2] == "ch1: healthy", "\(worst)")
            #expect(visit.values[3] as? Bool == true)
            desk = try await Self.visit(server.url, width: 1_280, height: 800)
            phone = try await Self.visit(server.url, width: 390, height: 844, more: ", \"touch\": true")
        }
        #expect(before?.text(0) == "All 1\u{202F}000 channels healthy – dtvr monitor")
        #expect(before?.text(1) == "overall pass" && before?.complaints.isEmpty == true)
        for visit in [try #require(desk), try #require(phone)] {
            #expect(visit.complaints.isEmpty)
            #expect(visit.number(0) == 0, "the page is wider than the window")
            // The overall state, the alerts and the cells of the failing channels are visible without scrolling.
            #expect(visit.values[1] as? Bool == true)
            #expect(visit.text(2) == "2 of 1\u{202F}000 channels need attention")
            #expect(visit.text(3).contains("presence.silent") && visit.text(3).contains("playlist.http"))
            #expect(visit.text(4) == "ch404 ch404")
            #expect(visit.text(5) == "1 of 1\u{202F}000 channels" && visit.text(6) == "#state=silent")
            #expect(visit.text(7) == "11 of 1\u{202F}000 channels")
        }
        // On a desktop screen the page has nothing to scroll.
        #expect(desk?.number(8) == 0)
    }

    /// Visits the page, selects the silent channels, then those with `ch99` in their names, and returns the values.
    private static func visit(
        _ url: String, width: Int, height: Int, more: String = ""
    ) async throws -> Browser.Visit {
        try await Browser.visit(
            "{\"open\": \"\(url)\", \"width\": \(width), \"height\": \(height)\(more)}", awaitChannels(1_000),
            "{\"wait\": \"!document.getElementById('alerts').hidden\"}",
            try value("document.documentElement.scrollWidth - innerWidth"),
            try value(
                """
                ['#overall', '#alerts li', '#channels .unreachable', '#channels .silent'].every(
                    (name) => document.querySelector(name).getBoundingClientRect().bottom <= innerHeight)
                """),
            try value("document.querySelector('#overall .text').textContent"),
            try value("document.getElementById('alert-list').textContent"),
            try value(
                """
                document.querySelector(".states [value='silent']").click(),
                [...document.querySelectorAll('#channels a')].map((cell) => cell.dataset.id + ' '
                    + cell.querySelector('.name').textContent).join()
                """),
            try value("document.getElementById('matches').textContent"), try value("location.hash"),
            try value(
                """
                location.hash = '#q=ch99',
                new Promise((done) => setTimeout(() => done(document.getElementById('matches').textContent), 100))
                """),
            try value(
                """
                location.hash = '', new Promise((done) => setTimeout(
                    () => done(document.documentElement.scrollHeight - innerHeight), 100))
                """))
    }

    @Test(.enabled(if: Browser.isInstalled, "chromium is not installed"))
    func keyboard_reachesEveryChannel_andShowsItsName() async throws {
        let station = try MonitoredStation(channels: 1)
        // No server listens on the discard port of the loopback interface, so all channels keep failing.
        let channels = (1...200).map {
            ChannelSettings(id: "c\($0)", url: "http://127.0.0.1:9/\($0).m3u8")
        }
        var visit: Browser.Visit?
        _ = try await station.monitor(channels, for: 2) { monitor, seconds in
            guard seconds == 1.5 else { return }
            let server = try MonitorServer(
                station.site(of: monitor), address: "127.0.0.1", port: 0)
            let focused = "document.activeElement.dataset.id"
            visit = try await Browser.visit(
                "{\"open\": \"\(server.url)\"}", Self.awaitChannels(200), "{\"key\": \"/\"}",
                try Self.value("document.activeElement.name"), "{\"key\": \"Tab\"}",
                try Self.value(focused), "{\"key\": \"ArrowRight\"}", try Self.value(focused),
                "{\"key\": \"ArrowDown\"}", "{\"key\": \"ArrowUp\"}", try Self.value(focused),
                "{\"key\": \"End\"}", try Self.value(focused),
                try Self.value("document.querySelector('#facts strong').textContent"),
                "{\"key\": \"Escape\"}",
                try Self.value("document.getElementById('facts').hidden"),
                try Self.value("document.activeElement.getAttribute('href')"))
        }
        let seen = try #require(visit)
        #expect(seen.complaints.isEmpty)
        #expect(seen.text(0) == "q")
        #expect([1, 2, 3, 4, 5].map { seen.text($0) } == ["c1", "c2", "c2", "c200", "c200"])
        #expect(seen.values[6] as? Bool == true)
        #expect(seen.text(7) == "channels/c200")
    }

    @Test(.enabled(if: Browser.isInstalled, "chromium is not installed"))
    func hostileNames_areShownAsText() async throws {
        let station = try MonitoredStation(channels: 1)
        var settings = ChannelSettings(id: "one", url: "http://127.0.0.1:9/a.m3u8")
        settings.name = "<img src=x onerror=\"document.title='taken'\"></script>&amp;"
        var visit: Browser.Visit?
        _ = try await station.monitor([settings], for: 2) { monitor, seconds in
            guard seconds == 1.5 else { return }
            let server = try MonitorServer(
                station.site(of: monitor), address: "127.0.0.1", port: 0)
            visit = try await Browser.visit(
                "{\"open\": \"\(server.url)\"}", Self.awaitChannels(1), "{\"hover\": \"#channels a\"}",
                try Self.value("document.querySelector('#channels .name').textContent"),
                try Self.value("document.querySelector('#facts strong').textContent"),
                try Self.value("document.querySelectorAll('img').length + document.scripts.length"),
                try Self.value("document.title.includes('taken')"))
        }
        let seen = try #require(visit)
        #expect(seen.complaints.isEmpty)
        #expect(seen.text(0) == settings.name && seen.text(1) == settings.name)
        #expect(seen.number(2) == 1 && seen.values[3] as? Bool == false)
    }

    @Test(.enabled(if: Browser.isInstalled, "chromium is not installed"))
    func lostContactWithTheMonitor_isShown() async throws {
        let station = try MonitoredStation(channels: 1)
        let served = Mutex<MonitorServer?>(nil)
        // The browser requests this once the page has the channels; it stops the monitor's server.
        let stopper = try LoopbackServer { _ in
            served.withLock { $0?.stop() }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
        }
        defer { stopper.stop() }
        var visit: Browser.Visit?
        _ = try await station.monitor(station.channels(1...1), for: 4) { monitor, seconds in
            guard seconds == 3.5 else { return }
            let server = try MonitorServer(
                station.site(of: monitor), address: "127.0.0.1", port: 0)
            served.withLock { $0 = server }
            visit = try await Browser.visit(
                "{\"open\": \"\(server.url)\"}", Self.awaitChannels(1),
                "{\"fetch\": \"\(stopper.base)/\"}",
                "{\"wait\": \"document.title === 'no contact – dtvr monitor'\"}",
                try Self.value("document.getElementById('contact').textContent"))
        }
        #expect(visit?.text(0).hasPrefix("no contact with the monitor since ") == true)
    }
}
