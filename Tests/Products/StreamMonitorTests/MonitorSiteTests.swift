import Foundation
import HTTPServing
import HTTPTransfer
import ID3v2
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import StreamMonitor

/// The responses of a monitor to requests.
@Suite(.timeLimit(.minutes(30))) struct MonitorSiteTests {
    /// Returns the JSON object that is served at a path.
    private static func object(
        _ site: MonitorSite, _ path: String
    ) throws -> [String: Any] {
        let answer = site.answer(to: .local("GET", path))
        #expect(answer.status == 200)
        #expect(answer.fields.contains(.init(name: "Content-Type", value: "application/json")))
        return try #require(
            try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    @Test func channels_areListedWithTheirStates() async throws {
        let station = try MonitoredStation(channels: 2, script: "at 60s for 600s channel 2: status 503")
        var found: [[String: Any]] = []
        _ = try await station.monitor(station.channels(1...2), for: 121) { monitor, seconds in
            guard seconds == 120 else { return }
            do {
                let site = station.site(of: monitor)
                found = try Self.object(site, "/api/channels")["channels"] as? [[String: Any]] ?? []
            } catch {
                Issue.record(error)
            }
        }
        #expect(found.map { $0["id"] as? String } == ["ch1", "ch2"])
        #expect(found.map { $0["name"] as? String } == ["ch1", "ch2"])
        #expect(found.map { $0["state"] as? String } == ["healthy", "unreachable"])
        #expect(found.map { $0["alerts"] as? Int == 0 } == [true, false])
        #expect((found[1]["reason"] as? String)?.contains("503") == true, "\(found[1])")
        let times = try found.map { try Date($0["since"] as? String ?? "", strategy: Self.times) }
        let start = Double(station.clock.unixMilliseconds) / 1_000 - 121
        #expect((0...2).contains(times[0].timeIntervalSince1970 - start))
        #expect((60...90).contains(times[1].timeIntervalSince1970 - start))
        let last = try Date(found[0]["last_tag"] as? String ?? "", strategy: Self.times)
        #expect((105...121).contains(last.timeIntervalSince1970 - start))
        #expect(found[0]["tags"] as? Int ?? 0 > 12 && found[0]["segments_read"] as? Int ?? 0 > 20)
    }

    private static let times = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    @Test func channel_isServedWithItsLastTagsFindingsAndAlerts() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 120s for 600s channel 1: no-tags")
        var found: [String: Any] = [:]
        var page = ""
        _ = try await station.monitor(station.channels(1...1), for: 200) { monitor, seconds in
            guard seconds == 199 else { return }
            page = String(
                decoding: station.site(of: monitor).answer(to: .local("GET", "/channels/ch1")).body,
                as: UTF8.self)
            do {
                found = try Self.object(
                    station.site(of: monitor), "/api/channels/ch1")
            } catch {
                Issue.record(error)
            }
        }
        #expect(found["id"] as? String == "ch1" && found["state"] as? String == "silent")
        let tags = try #require(found["last_tags"] as? [[String: Any]])
        let owners = tags.map { ($0["tag"] as? [String: Any])?["owner"] as? String }
        #expect(
            owners == station.events.owners(of: "ch1").suffix(10).map { String(decoding: $0, as: UTF8.self) })
        #expect(tags.last?["at"] as? String == found["last_tag"] as? String)
        let findings = try #require(found["last_findings"] as? [[String: Any]])
        #expect(findings.last?["check"] as? String == "presence.silent")
        #expect(findings.last?["status"] as? String == "fail")
        #expect(findings.count == found["findings"] as? Int)
        let alerts = try #require(found["active_alerts"] as? [[String: Any]])
        #expect(alerts.map { $0["check"] as? String } == ["presence.silent"])
        #expect((alerts.first?["id"] as? String)?.hasPrefix("ch1/presence.silent/") == true)
        #expect(alerts.first?["since"] as? String == findings.last?["at"] as? String)
        #expect((found["reason"] as? String)?.hasPrefix("no DATA tag since ") == true)
        let detail = alerts.first?["detail"] as? String ?? ""
        #expect(
            detail.contains(#/^No DATA tag since \d\d:\d\d:\d\d UTC \(\d+ s\), the limit is 30 s$/#),
            "\(detail)")
        #expect(page.contains("<bdi class=\"what\">\(detail)</bdi>"))
        #expect(alerts.first?["evidence"] is NSNull)
        #expect(found["collector"] is NSNull)
        let (data, any) = (found["last_data_tag"] as? String, found["last_tag"] as? String)
        #expect(data != nil && data?.prefix(19) == any?.prefix(19))
        #expect((found["address"] as? String)?.hasSuffix("/ch1/index.m3u8") == true)
    }

    @Test func channel_whoseAlertHasCleared_keepsTheCountOfItsFindings() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 30s for 30s channel 1: status 503 playlist")
        var found: [String: Any] = [:]
        _ = try await station.monitor(station.channels(1...1), for: 180) { monitor, seconds in
            guard seconds == 179 else { return }
            do {
                found = try Self.object(station.site(of: monitor), "/api/channels/ch1")
            } catch {
                Issue.record(error)
            }
        }
        #expect(station.events.alerts == ["raise ch1 playlist.http", "clear ch1 playlist.http"])
        #expect(found["alerts"] as? Int == 0 && (found["active_alerts"] as? [Any])?.isEmpty == true)
        #expect(found["findings"] as? Int == (found["last_findings"] as? [Any])?.count)
        #expect(found["findings"] as? Int ?? 0 > 0)
        #expect(found["segments_failed"] as? Int == 0 && found["segments_read"] as? Int ?? 0 > 20)
    }

    @Test func check_isExplainedAtItsPath_andAnUnknownIDIsNotFound() async throws {
        let station = try MonitoredStation(channels: 1)
        _ = try await station.monitor(station.channels(1...1), for: 1) { monitor, seconds in
            guard seconds == 0 else { return }
            let site = station.site(of: monitor)
            let answers = ["presence.silent", "delivery.refused", "none"].map {
                site.answer(to: .local("GET", "/checks/\($0)"))
            }
            #expect(answers.map(\.status) == [200, 200, 404])
            #expect(String(decoding: answers[0].body, as: UTF8.self).contains("What to do"))
        }
    }

    /// The alert file may be damaged and contain any number.
    @Test(arguments: [1e300, -1e300, 9.2e15, -9.2e15, .infinity])
    func channelPage_withExtremeAlertTime_isServed(since: Double) {
        let alert = Alert(
            scope: .channel("ch1"), check: .presenceSilent, since: since, severity: .fail, detail: "no tags")
        let record = ChannelRecord(
            ChannelSettings(id: "ch1", url: ""), memory: ([alert.episode], []),
            at: .steady(1_800_000_000))
        let page = ChannelPage(details: ChannelDetails(record), now: 1_800_000_000_000).answer
        #expect(String(decoding: page.body, as: UTF8.self).contains(">presence.silent</a></code>"))
    }

    @Test func channelPage_showsCollectorAndEvidence_withDocumentationLinks() {
        let alert = Alert(
            scope: .channel("ch1"), check: .presenceSilent, since: 1_799_999_490, severity: .fail,
            detail: "No DATA tag since 07:51:00 UTC (30 s), the limit is 30 s")
        let record = ChannelRecord(
            ChannelSettings(id: "ch1", url: ""), memory: ([alert.episode], []),
            at: .steady(1_800_000_000))
        var details = ChannelDetails(record)
        details.evidence = [alert.id: "/buffer/evidence/one"]
        let page = ChannelPage(
            details: details, now: 1_800_000_000_000,
            documentation: CheckDocumentation(prefix: "https://wiki.example/dtvr#")
        ).answer
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.contains("href=\"https://wiki.example/dtvr#presence.silent\""))
        #expect(text.contains("<code>dtvr check /buffer/evidence/one/index.m3u8</code>"))
        #expect(text.contains("Collector: <bdi>none, tags waiting: 0</bdi>"))
    }

    @Test func monitorWithoutChannels_isHealthyButNotReady() async throws {
        let station = try MonitoredStation(channels: 1)
        var statuses: [Int] = []
        _ = try await station.monitor([], for: 1) { monitor, _ in
            let site = station.site(of: monitor)
            statuses = ["/healthz", "/readyz", "/metrics", "/api/channels"].map {
                site.answer(to: .local("GET", $0)).status
            }
        }
        #expect(statuses == [200, 503, 200, 200])
    }

    @Test func requests_areAnswered_andChangesRequireAToken() async throws {
        let station = try MonitoredStation(channels: 1)
        let known = [
            "/": "GET, HEAD", "/channels/ch1": "GET, HEAD", "/events": "GET, HEAD", "/healthz": "GET, HEAD",
            "/readyz": "GET, HEAD",
            "/metrics": "GET, HEAD",
            "/api/channels": "GET, HEAD, POST", "/api/channels/ch1": "GET, HEAD, DELETE",
            "/api/channels/ch1/pause": "POST", "/api/channels/ch1/resume": "POST", "/api/reload": "POST",
            "/api/acknowledgments": "POST", "/api/mutes": "GET, HEAD, POST",
        ]
        let unknown = [
            "", "/metrics/", "//metrics", "/api", "/api/channels/", "/api/channels/ch2", "/api/channels/ch1/",
            "/api/channels/ch2/pause", "/api/channels/ch1/pause/", "/api/channels/ch1/stop", "/sign-in",
            "/channels", "/channels/", "/channels/ch2", "/channels/ch1/",
        ]
        var answers: [[String]: HTTPServerAnswer] = [:]
        _ = try await station.monitor(station.channels(1...1), for: 5) { monitor, _ in
            let site = station.site(of: monitor)
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] {
                for path in known.keys + unknown {
                    answers[[method, path]] = site.answer(to: .local(method, path))
                }
            }
        }
        for (request, answer) in answers {
            let methods = known[request[1]]
            let isAllowed = methods?.split(separator: ", ").contains { $0 == request[0] } == true
            let isReading = ["GET", "HEAD"].contains(request[0])
            #expect(
                answer.status == (methods == nil ? 404 : !isAllowed ? 405 : isReading ? 200 : 403),
                "\(request)")
            if answer.status == 405 {
                #expect(answer.fields.contains(.init(name: "Allow", value: methods ?? "")))
            }
        }
        let metrics = try #require(answers[["GET", "/metrics"]])
        #expect(
            metrics.fields.contains(
                .init(name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8")))
        #expect(try MetricSamples(metrics.body)["dtvr_channel_up{channel=\"ch1\"}"] == 1)
        #expect(answers[["GET", "/healthz"]]?.body == Array("ok\n".utf8))
    }

    @Test func removedChannel_isAnsweredWithNoContent() async throws {
        let station = try MonitoredStation(channels: 1)
        let token = "a-token-of-tests-0123"
        var answer: HTTPServerAnswer?
        _ = try await station.monitor(station.channels(1...1), for: 1) { monitor, seconds in
            guard seconds == 0 else { return }
            let fields = ["Authorization": "Bearer \(token)"]
            answer = station.site(of: monitor, token: token)
                .answer(to: .local("DELETE", "/api/channels/ch1", fields))
        }
        #expect(answer?.status == 204 && answer?.body.isEmpty == true)
    }

    /// A body of 64 KiB is read; one byte more is refused.
    @Test(arguments: [65_536, 65_537]) func body_largerThan64KiB_isRefused(byteCount: Int) async throws {
        let station = try MonitoredStation(channels: 1)
        let token = "a-token-of-tests-0123"
        let text = #"{"id":"added","url":"http://127.0.0.1:9/a.m3u8"}"#
        let body = Array(text.utf8) + [UInt8](repeating: 0x20, count: byteCount - text.utf8.count)
        var answered: Int?
        _ = try await station.monitor(station.channels(1...1), for: 1) { monitor, seconds in
            guard seconds == 0 else { return }
            let server = try MonitorServer(
                station.site(of: monitor, token: token), address: "127.0.0.1", port: 0)
            var request = HTTPRequest(.post(body: body), url: server.url + "api/channels")
            request.bearerToken = token
            let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
            answered = try await client.send(request).status
            server.stop()
        }
        #expect(answered != nil && (answered == 413) == (byteCount > 64 << 10), "\(answered ?? 0)")
    }
}
