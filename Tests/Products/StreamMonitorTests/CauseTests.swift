import Foundation
import HTTPServing
import NielsenID3
import StreamHealth
import StreamSynthesis
import Synchronization
import TagStore
import TestSupport
import Testing
import TextForms

@testable import StreamMonitor

/// Causes that come and go with their consequences, as an operator reads them: one alert that names the cause.
@Suite(.timeLimit(.minutes(30))) struct CauseTests {
    /// Returns a station whose playlists are not answered from 60 s to 130 s.
    private static func hangingStation(channels: Int = 1) throws -> MonitoredStation {
        try MonitoredStation(
            channels: channels,
            hangs: { target, time in
                target.hasSuffix(".m3u8") && !target.hasPrefix("/backup/") && time >= .seconds(60)
                    && time < .seconds(130)
            })
    }

    /// Returns the answer to a request for each third segment; nil for other requests.
    static func eachThirdSegmentIsMissing(
        of target: String, at time: Duration, _ body: [UInt8]
    ) -> ServedResource? {
        guard let number = target.firstMatch(of: #/seg(\d+)\.ts$/#).flatMap({ Int($0.1) }) else { return nil }
        return number % 3 == 0 ? .status("404 Not Found") : nil
    }

    private static func changes(_ station: MonitoredStation) -> [(change: AlertChange, seconds: Double)] {
        let start = station.startMilliseconds
        return station.events.compactMap { event in
            guard case .alert(let change, _) = event.kind else { return nil }
            return (change, Double(event.time - start) / 1_000)
        }
    }

    /// A stop of the monitor during the outage changes nothing; nor does one before or after it.
    @Test(arguments: [nil, 40.0, 70, 85, 100, 125, 150])
    func originThatDoesNotAnswer_isOneAlert_acrossARestart(restart: Double?) async throws {
        let station = try Self.hangingStation()
        for part in restart.map({ [$0, 300 - $0] }) ?? [300] {
            _ = try await station.monitor(station.channels(1...1), for: part)
        }
        let changes = Self.changes(station)
        #expect(changes.map(\.change.action) == ["raise", "clear"], "\(station.events.alerts)")
        #expect(changes.allSatisfy { $0.change.alert.check == .playlistHTTP }, "\(station.events.alerts)")
    }

    /// The backup is read although no load of the primary has failed yet.
    @Test func originThatDoesNotAnswer_isReplacedByTheBackup() async throws {
        let station = try Self.hangingStation()
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 240)
        #expect(
            !station.events.alerts.contains { $0.hasSuffix("presence.silent") }, "\(station.events.alerts)")
        #expect(totals.accepted >= 22, "\(totals)")
        let because = " because the load of the playlist has not been answered for "
        #expect(
            station.notes.first?.contains(because) == true,
            Comment(rawValue: station.notes.joined(separator: " | ")))
    }

    /// The state and the check of its reason each half second, for a channel with a missing segment and then a stall.
    private static func reasons(restart: Double? = nil) async throws -> [String] {
        let station = try MonitoredStation(
            channels: 1, script: "at 90s for 30s channel 1: stalled-playlist",
            fault: { target, _, _ in target.hasSuffix("/seg1012.ts") ? .status("404 Not Found") : nil })
        let reasons = Mutex<[String]>([])
        for part in restart.map({ [$0, 240 - $0] }) ?? [240] {
            _ = try await station.monitor(station.channels(1...1), for: part) { monitor, _ in
                let snapshot = monitor.snapshots[0]
                let check = snapshot.state == .degraded ? snapshot.reason.prefix { $0 != ":" } : ""
                reasons.withLock { $0.append("\(snapshot.state) \(check)") }
            }
        }
        return reasons.withLock { $0 }
    }

    /// The result of ``reasons(restart:)`` without a stop.
    private static let uninterruptedReasons = Task { try await reasons() }

    /// The page, the table and the API show the reason of now, not the first one.
    @Test func reason_ofADegradedChannel_isThatOfNow() async throws {
        let seen = try await Self.uninterruptedReasons.value.reduce(into: [String]()) {
            if $0.last != $1 { $0.append($1) }
        }
        let segment = try #require(seen.firstIndex(of: "degraded segment.http"), "\(seen)")
        #expect(seen[segment + 1] == "degraded playlist.stale", "\(seen)")
        #expect(seen.last == "healthy ", "\(seen)")
    }

    /// The reason is the same as without a stop, a few seconds earlier or later: a stall is measured again.
    @Test(arguments: [30.0, 40, 80, 95, 105, 115, 125, 150, 170, 200])
    func reason_ofADegradedChannel_isThatOfNow_acrossARestart(restart: Double) async throws {
        let expected = try await Self.uninterruptedReasons.value
        let seen = try await Self.reasons(restart: restart)
        let differences = seen.indices.filter { step in
            let near = Set(expected[max(0, step - 14)..<min(expected.count, step + 14)])
            return !(0...16).contains(step - Int(2 * restart)) && near.count == 1
                && !near.contains(seen[step])
        }
        #expect(differences.isEmpty, "\(differences.map { "\(Double($0) / 2): \(seen[$0])" })")
    }

    /// The INFO tag at 295 s is in segments that the playlist no longer lists when the outage is over.
    @Test(arguments: [nil, 20.0, 200, 275, 300, 325, 335, 345, 400, 585, 640])
    func outage_thatSwallowsAnInfoTag_bringsNoLateInfo_acrossARestart(restart: Double?) async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 270s for 60s channel 1: status 503",
            rewrite: { playlist, _, _ in BackupUseTests.lastSegments(of: playlist) })
        for part in restart.map({ [$0, 960 - $0] }) ?? [960] {
            _ = try await station.monitor(station.channels(1...1), for: part)
        }
        let events = station.events
        let infoCount = events.count {
            if case .tag(let tag) = $0.kind { tag.tag.kind == .info } else { false }
        }
        #expect(infoCount == 3, "one at the start, and two of three later ones")
        #expect(events.findings.contains("ch1 playlist.http") && !events.findings.contains("ch1 info.late"))
        #expect(events.alerts == ["raise ch1 playlist.http", "clear ch1 playlist.http"], "\(events.alerts)")
    }

    /// The hold is not part of the duration, and the text of an open alert states its present age.
    ///
    /// A stop of the monitor during the stall, or during the hold after it, changes nothing.
    @Test(arguments: [nil, 55.0, 75, 110, 150, 190, 230])
    func stall_ofTwoMinutes_lastedTwoMinutes_acrossARestart(restart: Double?) async throws {
        let station = try MonitoredStation(channels: 1, script: "at 60s for 120s channel 1: stalled-playlist")
        var text = ""
        var past = 0.0
        for part in restart.map({ [$0, 420 - $0] }) ?? [420] {
            _ = try await station.monitor(station.channels(1...1), for: part) { [past] monitor, seconds in
                if past + seconds == 170 { text = monitor.publishedAlerts.first?.detail ?? "" }
            }
            past += part
        }
        #expect(restart != nil || text.contains("has not changed for 11"), "\(text)")
        let changes = Self.changes(station)
        #expect(changes.map(\.change.action) == ["raise", "clear"], "\(station.events.alerts)")
        let sentence = try #require(changes.last).change.sentence
        #expect(sentence.hasSuffix(", lasted 2 min"), "\(sentence)")
    }

    /// The event stream sends an alert again only if it has changed.
    @Test func publishedAlert_whoseViolationIsRepeated_isUnchanged() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 20s channel 1: status 503")
        var seen: Set<[Alert]> = []
        _ = try await station.monitor(station.channels(1...1), for: 130) { monitor, seconds in
            if seconds >= 100 { seen.insert(monitor.publishedAlerts) }
        }
        #expect(seen.count == 1 && seen.first?.map(\.check) == [.playlistHTTP], "\(seen)")
    }

    /// Each third segment is missing, and the tags in it; a stop of the monitor makes no alert of the consequence.
    @Test(arguments: [40.0, 90, 150, 205])
    func consequence_staysOne_acrossARestart(restart: Double) async throws {
        let station = try MonitoredStation(channels: 1, fault: Self.eachThirdSegmentIsMissing)
        for part in [restart, 360 - restart] {
            _ = try await station.monitor(station.channels(1...1), for: part)
        }
        #expect(station.events.alerts == ["raise ch1 segment.http"], "\(station.events.alerts)")
    }

    /// Each third segment is missing, and the tags in it: the page, the API and the metrics list that under it.
    @Test func consequence_isListedUnderItsCause_onThePageTheAPIAndTheMetrics() async throws {
        let station = try MonitoredStation(channels: 1, fault: Self.eachThirdSegmentIsMissing)
        var page = ""
        var answer = ""
        var metrics = ""
        _ = try await station.monitor(station.channels(1...1), for: 360) { monitor, _ in
            let text = String(decoding: monitor.metricsText(bufferFolder: station.directory), as: UTF8.self)
            guard metrics.isEmpty, text.contains("dtvr_alert_consequences_active{") else { return }
            metrics = text
            let details = try #require(monitor.details(of: "ch1"))
            var writer = JSONWriter()
            details.write(to: &writer)
            answer = String(decoding: writer.bytes, as: UTF8.self)
            page = String(
                decoding: ChannelPage(details: details, now: station.clock.unixMilliseconds).answer.body,
                as: UTF8.self)
        }
        let raised = Self.changes(station).map(\.change.alert.check)
        #expect(raised == [.segmentHTTP], "\(station.events.alerts)")
        let sample = #"{channel="ch1",check="sequence.step",cause="segment.http"} 1"#
        #expect(metrics.contains("dtvr_alert_consequences_active\(sample)"), "\(metrics)")
        #expect(answer.contains(#""consequences":[{"check":"sequence.step""#), "\(answer)")
        #expect(page.contains("Hence "))
    }

    /// Returns a station whose packager drops the first bytes of each tag.
    private static func damagingStation() throws -> MonitoredStation {
        try MonitoredStation(
            channels: 1,
            fault: { target, _, body in
                guard target.hasSuffix(".ts") else { return nil }
                var bytes = body
                while let next = Samples.withoutFirstFiveBytes(ofTagIn: bytes) { bytes = next }
                return ServedResource(bytes)
            })
    }

    /// Returns the episodes in an answer of the API by their checks; they have no duplicates.
    private static func episodes(in body: [UInt8]) throws -> [String: [String: Any]] {
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let episodes = try #require(answer["episodes"] as? [[String: Any]])
        return Dictionary(episodes.map { ($0["check"] as? String ?? "", $0) }) { one, other in
            Issue.record("\(one) and \(other) are two episodes")
            return one
        }
    }

    /// The moment of a finding in an episode.
    private static func time(_ end: String, of episode: [String: Any]) -> String? {
        (episode[end] as? [String: Any])?["at"] as? String
    }

    /// Returns the API's answer for the channel after 300 s, with and without a stop or a kill of the monitor.
    private static func answer(restart: Double?, isKilled: Bool = false) async throws -> [UInt8] {
        let station = try damagingStation()
        let file = URL(fileURLWithPath: station.directory + "/alerts.json")
        var found: [UInt8] = []
        var killed: Data?
        for part in restart.map({ [$0, 300 - $0] }) ?? [300] {
            if let killed { try killed.write(to: file) }
            _ = try await station.monitor(station.channels(1...1), for: part) { monitor, seconds in
                guard seconds == part - 0.5 else { return }
                found = station.site(of: monitor).answer(to: .local("GET", "/api/channels/ch1")).body
                if isKilled { killed = try Data(contentsOf: file) }
            }
        }
        return found
    }

    /// The result of ``answer(restart:isKilled:)`` without a stop.
    private static let uninterruptedAnswer = Task { try await answer(restart: nil) }

    /// A restart keeps the groups, and a kill loses the findings of the last ten seconds.
    @Test(arguments: [(12.0, false), (45, false), (45, true), (100, false), (155, true), (270, false)])
    func episodes_ofFindings_continue_acrossARestart(restart: Double, isKilled: Bool) async throws {
        let expected = try Self.episodes(in: try await Self.uninterruptedAnswer.value)
        let found = try Self.episodes(in: try await Self.answer(restart: restart, isKilled: isKilled))
        let one = try #require(expected["id3.malformed"])
        let other = try #require(found["id3.malformed"])
        let counts = try [one, other].map { try #require($0["count"] as? Int) }
        // Without stored tags, the segments of the playlist are read again.
        #expect((counts[1] - counts[0]).magnitude <= 5, "\(counts)")
        #expect(Self.time("first", of: one) == Self.time("first", of: other))
        let times = try [one, other].map { try #require(Self.time("last", of: $0)) }
        #expect(times[0].prefix(16) == times[1].prefix(16), "\(times)")
        #expect(one["detail"] as? String == other["detail"] as? String)
    }

    /// FFmpeg 5.1 drops the first bytes of each tag, and the findings state the owner identifier that is left.
    @Test func equalFindings_areOneEpisode_onThePageAndInTheAPI_andAlertsHaveNoOwnerIdentifier() async throws
    {
        let station = try Self.damagingStation()
        var answer: [String: Any] = [:]
        var page = ""
        _ = try await station.monitor(station.channels(1...1), for: 420) { monitor, seconds in
            guard seconds == 419.5 else { return }
            let site = station.site(of: monitor)
            let body = site.answer(to: .local("GET", "/api/channels/ch1")).body
            answer = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
            page = String(decoding: site.answer(to: .local("GET", "/channels/ch1")).body, as: UTF8.self)
        }
        let findings = try #require(answer["last_findings"] as? [[String: Any]])
        #expect(findings.count == 32)
        #expect(
            findings.contains { ($0["detail"] as? String)?.contains("identifier www.nielsen.com/") == true })
        let episodes = try #require(answer["episodes"] as? [[String: Any]])
        let malformed = episodes.filter { $0["check"] as? String == "id3.malformed" }
        #expect(malformed.count == 1, "\(episodes)")
        let episode = try #require(malformed.first)
        let count = try #require(episode["count"] as? Int)
        #expect(count > 35 && episode["status"] as? String == "fail")
        #expect((episode["detail"] as? String)?.hasSuffix("have the owner identifier …") == true)
        #expect(episodes.compactMap { $0["count"] as? Int }.reduce(0, +) == answer["findings"] as? Int)
        let ends = try ["first", "last"].map { try #require(episode[$0] as? [String: Any]) }
        let times = try ends.map { try #require($0["at"] as? String) }
        #expect(times[0] < times[1])
        let last = try #require(findings.last { $0["check"] as? String == "id3.malformed" })
        #expect(times[1] == last["at"] as? String)
        #expect(ends[1]["segment"] as? String == last["segment"] as? String)
        #expect(page.contains("\(count) times, first "), "\(page)")
        #expect(page.components(separatedBy: "first five bytes").count < 6)
        #expect(page.contains("have the owner identifier …") && !page.contains("www.nielsen.com/"))
        let changes = Self.changes(station).map(\.change)
        #expect(!changes.isEmpty)
        for change in changes {
            let message = AlertMessage(change, at: 0, evidence: nil, published: .steady(0))
            #expect(!(message.body + change.sentence).contains("www.nielsen.com/"), "\(message.body)")
        }
        #expect(
            changes.contains { change in
                let texts = [change.alert.detail] + change.alert.consequences.map(\.detail)
                return texts.contains { $0.hasSuffix("have the owner identifier …") }
            }, "\(changes)")
    }

    /// A problem that is over without delay lasts at the moment of its violation, so that it is an alert.
    @Test(arguments: [0.0, 1, 10])
    func failingAddress_isOneAlert_whateverTheDelayOfItsEnd(clearDelay: Double) async throws {
        let station = try MonitoredStation(channels: 2, script: "at 0s for 150s channel 1: status 503")
        let channels = station.channels(1...2).map { channel in
            var channel = channel
            channel.policy[.alertClear] = clearDelay
            return channel
        }
        _ = try await station.monitor(channels, for: 120)
        #expect(station.events.alerts == ["raise ch1 playlist.http"], "\(station.events.alerts)")
        _ = try await station.monitor(channels, for: 300)
        #expect(
            station.events.alerts == ["raise ch1 playlist.http", "clear ch1 playlist.http"],
            "\(station.events.alerts)")
    }

    /// A playlist of I-frames has no tags, and is named instead of being silent.
    @Test func playlistOfIFrames_isNamed() async throws {
        let station = try MonitoredStation(
            channels: 1,
            rewrite: { playlist, _, _ in
                playlist.replacing(
                    "#EXT-X-TARGETDURATION", with: "#EXT-X-I-FRAMES-ONLY\n#EXT-X-TARGETDURATION")
            })
        _ = try await station.monitor(station.channels(1...1), for: 120) { monitor, seconds in
            guard seconds == 110 else { return }
            let alerts = monitor.publishedAlerts
            #expect(alerts.map(\.check) == [.playlistHTTP], "\(alerts)")
            #expect(alerts.first?.detail.contains("lists only I-frames") == true, "\(alerts)")
        }
    }
}
