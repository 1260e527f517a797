import HLSInput
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

/// The use of a backup, as an operator sees it: one alert that says since when and why, and no tags that were lost.
@Suite(.timeLimit(.minutes(30))) struct BackupUseTests {
    /// A failure of the primary from 100 s to 150 s, and how it is named.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let cause: String
        /// Whether a request of the primary is not answered.
        var hangs: @Sendable (String) -> Bool = { _ in false }
        /// The answer to a request of the primary; nil for the usual one.
        var answer: @Sendable (String) -> ServedResource? = { _ in nil }
    }

    static let failures = [
        Failure(
            testDescription: "status 503",
            cause: "the load of the playlist was answered with HTTP status 503",
            answer: { _ in .status("503 Service Unavailable") }),
        Failure(
            testDescription: "status 404 of segments", cause: "its segments cannot be read",
            answer: { $0.hasSuffix(".ts") ? .status("404 Not Found") : nil }),
        Failure(
            testDescription: "playlists hang", cause: "the load of the playlist has not been answered for",
            hangs: { $0.hasSuffix(".m3u8") }),
    ]

    /// Returns a station whose primary fails from 100 s to 150 s, and lists few segments, so that it loses tags.
    private static func station(_ failure: Failure, backupScript: String = "") throws -> MonitoredStation {
        let isOut: @Sendable (String, Duration) -> Bool = { target, time in
            !target.hasPrefix("/backup/") && time >= .seconds(100) && time < .seconds(150)
        }
        return try MonitoredStation(
            channels: 1, backupScript: backupScript, playlistCount: 2,
            rewrite: { playlist, target, _ in
                target.hasPrefix("/backup/") ? playlist : Self.lastSegments(of: playlist)
            },
            hangs: { target, time in isOut(target, time) && failure.hangs(target) },
            fault: { target, time, _ in isOut(target, time) ? failure.answer(target) : nil })
    }

    /// Returns a playlist with its last three segments only.
    static func lastSegments(of playlist: String) -> String {
        let lines = playlist.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("#EXTINF") }) else { return playlist }
        let ends = lines.indices.filter { $0 >= first && !lines[$0].isEmpty && !lines[$0].hasPrefix("#") }
        guard ends.count > 3 else { return playlist }
        let start = ends[ends.count - 4] + 1
        let dropped = ends.count - 3
        let head = lines[..<first].map { line -> String in
            let name = "#EXT-X-MEDIA-SEQUENCE:"
            guard line.hasPrefix(name), let number = Int(line.dropFirst(name.count)) else { return line }
            return "\(name)\(number + dropped)"
        }
        return (head + lines[start...]).joined(separator: "\n")
    }

    private static func changes(_ station: MonitoredStation) -> [AlertChange] {
        station.events.compactMap { if case .alert(let change, _) = $0.kind { change } else { nil } }
    }

    /// The page, the API and the metric while the backup is used, and after it.
    struct View: Sendable {
        var page = ""
        var answer = ""
        var metric: Double?
    }

    private static func view(of monitor: LiveMonitor, _ station: MonitoredStation) throws -> View {
        let details = try #require(monitor.details(of: "ch1"))
        var writer = JSONWriter()
        details.write(to: &writer)
        let page = ChannelPage(details: details, now: station.clock.unixMilliseconds).answer.body
        let metrics = try MetricSamples(monitor.metricsText(bufferFolder: station.directory))
        return View(
            page: String(decoding: page, as: UTF8.self),
            answer: String(decoding: writer.bytes, as: UTF8.self),
            metric: metrics["dtvr_channel_on_backup{channel=\"ch1\"}"])
    }

    @Test(arguments: failures)
    func primaryThatFails_isOneAlertThatSaysSinceWhenAndWhy_andNoTagIsMissing(failure: Failure) async throws {
        let station = try Self.station(failure)
        var (during, after) = (View(), View())
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 400) { monitor, seconds in
            if seconds == 140 { during = try Self.view(of: monitor, station) }
            if seconds == 390 { after = try Self.view(of: monitor, station) }
        }
        let lost = ["sequence.step", "time.gap", "time.overlap", "presence.silent", "info.late", "tag.count"]
        #expect(
            station.events.findings.isDisjoint(with: lost.map { "ch1 \($0)" }), "\(station.events.findings)")
        #expect(totals.accepted >= 40 && Set(station.events.owners(of: "ch1")).count == Int(totals.accepted))

        let changes = Self.changes(station)
        #expect(station.events.alerts == ["raise ch1 channel.backup", "clear ch1 channel.backup"])
        let raised = try #require(changes.first).alert.detail
        #expect(
            raised.hasPrefix("on the backup since ") && raised.contains("because \(failure.cause)"),
            "\(raised)")
        #expect(station.notes.count == 2, Comment(rawValue: station.notes.joined(separator: " | ")))
        #expect(station.notes.first?.hasPrefix("ch1: on the backup since ") == true)
        #expect(station.notes.last == "ch1: on the primary again")

        #expect(during.page.contains("On the backup for ") && during.page.contains(failure.cause))
        #expect(during.answer.contains(#""backup":{"since":""#) && during.metric == 1, "\(during.answer)")
        #expect(
            during.answer.contains(#""reason":"channel.backup: on the backup since "#), "\(during.answer)")
        #expect(!after.page.contains("On the backup") && after.answer.contains(#""backup":null"#))
        #expect(after.metric == 0)
        let states = Set(station.events.states(of: "ch1"))
        #expect(states.isSubset(of: [.healthy, .degraded]), "\(states)")
    }

    /// A stop at any moment neither repeats nor loses the alert, and the start of the use is the first one.
    @Test(arguments: [90.0, 105, 112, 120, 135, 148, 152, 165, 200])
    func useOfTheBackup_isOneAlert_acrossARestart(restart: Double) async throws {
        let station = try Self.station(Self.failures[0])
        for part in [restart, 400 - restart] {
            _ = try await station.monitor([station.channelWithBackup(1)], for: part)
        }
        #expect(
            station.events.alerts == ["raise ch1 channel.backup", "clear ch1 channel.backup"],
            "\(station.events.alerts)")
        let lost = ["ch1 sequence.step", "ch1 time.gap", "ch1 presence.silent"]
        #expect(station.events.findings.isDisjoint(with: lost), "\(station.events.findings)")
    }

    /// The failures of the primary are listed under the alert; if the check is accepted, they are alerts.
    @Test(arguments: [false, true])
    func failureOfThePrimary_isAConsequence_unlessTheUseIsAccepted(isAccepted: Bool) async throws {
        let station = try Self.station(Self.failures[0])
        var channel = station.channelWithBackup(1)
        if isAccepted { channel.acceptedChecks = [.channelBackup] }
        var metrics = ""
        _ = try await station.monitor([channel], for: 300) { monitor, seconds in
            guard seconds == 140 else { return }
            metrics = String(decoding: monitor.metricsText(bufferFolder: station.directory), as: UTF8.self)
        }
        let check = isAccepted ? "playlist.http" : "channel.backup"
        #expect(station.events.alerts == ["raise ch1 \(check)", "clear ch1 \(check)"])
        let sample = #"{channel="ch1",check="playlist.http",cause="channel.backup"} 1"#
        #expect(metrics.contains("dtvr_alert_consequences_active\(sample)") != isAccepted)
        #expect(metrics.contains(#"dtvr_channel_on_backup{channel="ch1"} 1"#))
    }

    /// Once the backup fails too, the channel is not on its backup, and its failure is an alert.
    @Test func backupThatFailsLater_endsTheUse_andTheFailureIsAnAlert() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 100s for 200s channel 1: status 503",
            backupScript: "at 160s for 60s channel 1: status 503", playlistCount: 2)
        _ = try await station.monitor([station.channelWithBackup(1)], for: 600)
        let raised = Self.changes(station).filter { $0.action == "raise" }.map(\.alert.check)
        #expect(raised.prefix(2) == [.channelBackup, .playlistHTTP], "\(station.events.alerts)")
        #expect(station.events.states(of: "ch1").contains(.unreachable))
        #expect(station.events.states(of: "ch1").last == .healthy)
    }

    /// A tag that neither source delivers is lost, and is reported.
    @Test func tagsThatBothSourcesLack_areReported() async throws {
        let station = try Self.station(Self.failures[0], backupScript: "at 110s for 30s channel 1: no-tags")
        _ = try await station.monitor([station.channelWithBackup(1)], for: 300)
        #expect(station.events.findings.contains("ch1 sequence.step"), "\(station.events.findings)")
    }

    /// A primary and a backup that are both read are judged together, too.
    @Test(arguments: failures)
    func comparedSources_areJudgedTogether(failure: Failure) async throws {
        let station = try Self.station(failure)
        _ = try await station.monitor([station.channelWithBackup(1, isCompared: true)], for: 400)
        let lost = ["ch1 sequence.step", "ch1 time.gap", "ch1 presence.silent", "ch1 rendition.tags-differ"]
        #expect(station.events.findings.isDisjoint(with: lost), "\(station.events.findings)")
        #expect(station.events.alerts == ["raise ch1 channel.backup", "clear ch1 channel.backup"])
    }

    /// All playlists of the primary fail at nearly the same time, or only one of them.
    @Test(arguments: [(["r0", "r1"], "channel.backup"), (["r1"], "playlist.http")])
    func severalRenditions_areOneAlert(failing: [String], check: String) async throws {
        let station = try MonitoredStation(
            channels: 1,
            renditions: [.init(name: "r0", video: .smallest), .init(name: "r1", video: .smallest)],
            playlistCount: 3,
            fault: { target, time, _ in
                let isOut = time >= .seconds(60) && time < .seconds(120) && !target.hasPrefix("/backup/")
                return isOut && failing.contains { target.contains("/\($0)/") }
                    ? .status("503 Service Unavailable") : nil
            })
        var channel = station.channelWithBackup(1)
        channel.rendition = .chosen(.all)
        _ = try await station.monitor([channel], for: 300) { _, seconds in
            if seconds > 10 { await station.clock.waitForSleepers(5) }
        }
        #expect(
            station.events.alerts == ["raise ch1 \(check)", "clear ch1 \(check)"], "\(station.events.alerts)")
    }
}
