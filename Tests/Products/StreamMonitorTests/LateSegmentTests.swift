import HLSInput
import StreamHealth
import StreamMonitor
import StreamSynthesis
import Synchronization
import TagStore
import TestSupport
import Testing

/// Segments, keys and initialization segments that a server lists before it has them.
///
/// Segments last 6.4 s, the target duration is 6 s, and a playlist lists six.
@Suite(.timeLimit(.minutes(30))) struct LateSegmentTests {
    /// An answer in place of a resource that is not there yet.
    enum Substitute: Sendable, CaseIterable, CustomTestStringConvertible {
        case status400, status403, status404, status410, status425, status500, status503
        case empty, html
        /// Half of the bytes, up to a packet or box boundary or within a packet, with a correct Content-Length.
        case half, truncated

        func answer(_ body: [UInt8]) -> ServedResource {
            switch self {
            case .status400: .status("400 Bad Request")
            case .status403: .status("403 Forbidden")
            case .status404: .status("404 Not Found")
            case .status410: .status("410 Gone")
            case .status425: .status("425 Too Early")
            case .status500: .status("500 Internal Server Error")
            case .status503: .status("503 Service Unavailable")
            case .empty: ServedResource("")
            case .html: ServedResource("<!DOCTYPE html><html><body>Not yet</body></html>")
            case .half: ServedResource(Array(body.prefix(body.count / 376 * 188)))
            case .truncated: ServedResource(Array(body.prefix(body.count / 376 * 188 + 100)))
            }
        }

        /// The number of requests of one attempt: an error of the server is retried at once.
        var requestCount: Int { self == .status500 || self == .status503 ? 2 : 1 }

        /// The substitutes that do not become readable before the resource is there.
        static let missing: [Substitute] = allCases.filter { $0 != .half && $0 != .truncated }

        var testDescription: String { "\(self)" }
    }

    /// A station whose resources with these names are missing for some seconds after their first request.
    private static func station(
        late names: Set<String>, for seconds: Double, as substitute: Substitute = .status404,
        script: String = "", container: SynthesisSettings.Container = .transportStream, playlistCount: Int = 1
    ) throws -> MonitoredStation {
        let first = FirstRequests()
        return try MonitoredStation(
            channels: 1, script: script, container: container, playlistCount: playlistCount,
            fault: { target, time, body in
                let name = target.split(separator: "/").last.map(String.init) ?? ""
                guard !target.hasPrefix("/backup/"), names.contains(name) else { return nil }
                return time - first.time(of: name, at: time) < .seconds(seconds)
                    ? substitute.answer(body) : nil
            })
    }

    /// The times of the first requests for resources.
    private final class FirstRequests: Sendable {
        private let times = Mutex<[String: Duration]>([:])
        func time(of name: String, at time: Duration) -> Duration {
            times.withLock { times in
                if let first = times[name] { return first }
                times[name] = time
                return time
            }
        }
    }

    /// The settings of a station without faults, and how long it is monitored.
    private struct FaultlessRun: Hashable {
        var seconds: Double
        var script: String
        var container: SynthesisSettings.Container
    }

    /// The tags of stations without faults, whose tests share one run.
    private static let faultlessTags = Mutex<[FaultlessRun: Task<[[UInt8]], any Error>]>([:])

    /// Returns the tags that a station without faults has in so many seconds.
    private static func expectedTags(
        _ seconds: Double, script: String = "", container: SynthesisSettings.Container = .transportStream
    ) async throws -> [[UInt8]] {
        let run = FaultlessRun(seconds: seconds, script: script, container: container)
        let tags = faultlessTags.withLock { tags in
            if let task = tags[run] { return task }
            let task = Task {
                let whole = try MonitoredStation(channels: 1, script: script, container: container)
                _ = try await whole.monitor(whole.channels(1...1), for: seconds)
                return whole.events.owners(of: "ch1")
            }
            tags[run] = task
            return task
        }
        return try await tags.value
    }

    /// Checks that each tag was stored once.
    private func expect(
        _ station: MonitoredStation, _ expected: [[UInt8]], accepted: Int64,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners) == Set(expected), sourceLocation: sourceLocation)
        #expect(accepted == Int64(expected.count), sourceLocation: sourceLocation)
    }

    // MARK: One segment

    /// At the start of the first window, in the middle of it, at its live edge, and later.
    @Test(arguments: ["seg1000.ts", "seg1003.ts", "seg1005.ts", "seg1010.ts"])
    func segment_missingForASecond_isReadInOrder_withoutAFinding(name: String) async throws {
        let station = try Self.station(late: [name], for: 1)
        let totals = try await station.monitor(station.channels(1...1), for: 120)
        expect(station, try await Self.expectedTags(120), accepted: totals.accepted)
        #expect(station.events.findings.isEmpty, "\(station.events.findings)")
        #expect(station.events.states(of: "ch1") == [.healthy])
    }

    @Test(arguments: Substitute.allCases)
    func segment_withASubstituteForASecond_isReadInOrder_withoutAFinding(
        substitute: Substitute
    ) async throws {
        let station = try Self.station(late: ["seg1010.ts"], for: 1, as: substitute)
        let totals = try await station.monitor(station.channels(1...1), for: 120)
        expect(station, try await Self.expectedTags(120), accepted: totals.accepted)
        #expect(station.events.findings.isEmpty, "\(station.events.findings)")
        #expect(station.events.owners(of: "ch1") == (try await Self.expectedTags(120)), "the order")
    }

    @Test(arguments: Substitute.missing)
    func segment_missingForTwoTargetDurations_isLate(substitute: Substitute) async throws {
        let station = try Self.station(late: ["seg1010.ts"], for: 15, as: substitute)
        let totals = try await station.monitor(station.channels(1...1), for: 150)
        expect(station, try await Self.expectedTags(150), accepted: totals.accepted)
        #expect(station.events.findings == ["ch1 segment.late"], "\(station.events.findings)")
        #expect(station.targets.count { $0.hasSuffix("seg1010.ts") } <= 8 * substitute.requestCount)
    }

    /// The other segments are read meanwhile, and nothing is said about the gap in their timestamps.
    @Test(arguments: Substitute.missing)
    func segment_thatNeverComes_isGivenUpWhenItLeavesThePlaylist(substitute: Substitute) async throws {
        let station = try Self.station(late: ["seg1010.ts"], for: 1_000, as: substitute)
        _ = try await station.monitor(station.channels(1...1), for: 200)
        #expect(station.events.findings.contains("ch1 segment.http"), "\(station.events.findings)")
        #expect(!station.events.findings.contains("ch1 segment.late"))
        let expected = Set(try await Self.expectedTags(200))
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners).count == owners.count)
        #expect((1...4).contains(expected.subtracting(owners).count))
        #expect(station.targets.count { $0.hasSuffix("seg1010.ts") } <= 16 * substitute.requestCount)
    }

    /// Half of a segment is there for as long as it is listed: it is loaded twice, and its tags are stored.
    @Test(arguments: [Substitute.half, .truncated])
    func segment_thatStaysIncomplete_isLoadedTwice(substitute: Substitute) async throws {
        let station = try Self.station(late: ["seg1010.ts"], for: 1_000, as: substitute)
        _ = try await station.monitor(station.channels(1...1), for: 150)
        #expect(station.targets.count { $0.hasSuffix("seg1010.ts") } == 2)
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners).count == owners.count)
    }

    // MARK: Several segments

    @Test(arguments: [1.0, 4, 8, 15, 25])
    func everySegment_late_isRead(seconds: Double) async throws {
        let names = Set((1_005...1_030).map { "seg\($0).ts" })
        let station = try Self.station(late: names, for: seconds)
        let totals = try await station.monitor(station.channels(1...1), for: 250)
        expect(station, try await Self.expectedTags(250), accepted: totals.accepted)
        let findings = station.events.findings.subtracting([
            // No tag arrives for a while where all segments are missing for four target durations.
            "ch1 segment.late", "ch1 segment.http", "ch1 presence.silent",
        ])
        #expect(findings.isEmpty, "\(station.events.findings)")
        #expect(station.events.findings.contains("ch1 segment.late") == (seconds > 6))
    }

    @Test func twoSegmentsInARow_missing_areReportedAtOnce_andReadWhenTheyCome() async throws {
        let station = try Self.station(late: ["seg1010.ts", "seg1011.ts"], for: 25)
        let totals = try await station.monitor(station.channels(1...1), for: 200)
        expect(station, try await Self.expectedTags(200), accepted: totals.accepted)
        let allowed: Set = ["ch1 segment.late", "ch1 segment.http"]
        #expect(station.events.findings.isSubset(of: allowed), "\(station.events.findings)")
        #expect(station.events.findings.contains("ch1 segment.late"))
    }

    // MARK: Keys and initialization segments

    @Test(arguments: [1.0, 4, 15], [Substitute.status404, .status503, .empty, .html])
    func key_late_costsNoTag(seconds: Double, substitute: Substitute) async throws {
        let script = "at 40s for 60s channel 1: changed-key 20s"
        let names = Set((0...200).flatMap { ["key\($0 * 1_000).bin", "key\($0 * 1_000 + 200).bin"] })
        let station = try Self.station(late: names, for: seconds, as: substitute, script: script)
        let totals = try await station.monitor(station.channels(1...1), for: 180)
        expect(station, try await Self.expectedTags(180, script: script), accepted: totals.accepted)
        let allowed: Set = ["ch1 segment.late", "ch1 segment.http"]
        #expect(station.events.findings.isSubset(of: allowed), "\(station.events.findings)")
        if seconds < 6 { #expect(station.events.findings.isEmpty) }
    }

    @Test(arguments: [1.0, 4, 15], [Substitute.status404, .status503, .empty, .html])
    func initialization_late_costsNeitherTagNorTime(seconds: Double, substitute: Substitute) async throws {
        let station = try Self.station(
            late: ["init.mp4"], for: seconds, as: substitute, container: .fragmentedMP4)
        let totals = try await station.monitor(station.channels(1...1), for: 120)
        expect(
            station, try await Self.expectedTags(120, container: .fragmentedMP4), accepted: totals.accepted)
        let allowed: Set = ["ch1 segment.late", "ch1 segment.http"]
        #expect(station.events.findings.isSubset(of: allowed), "\(station.events.findings)")
    }

    /// Its failure is reported, and segments are read without it and without delay.
    @Test func initialization_thatNeverComes_isReported_andSegmentsAreReadWithoutIt() async throws {
        let station = try Self.station(late: ["init.mp4"], for: 1_000, container: .fragmentedMP4)
        let totals = try await station.monitor(station.channels(1...1), for: 200)
        #expect(station.events.findings.contains("ch1 segment.http"))
        let expected = try await Self.expectedTags(200, container: .fragmentedMP4)
        expect(station, expected, accepted: totals.accepted)
        #expect(station.targets.count { $0.hasSuffix("seg1025.m4s") || $0.hasSuffix("seg1025.mp4") } == 1)
    }

    @Test(arguments: Substitute.allCases.filter { $0 != .truncated })
    func segmentOfFragmentedMP4_late_isReadOnce(substitute: Substitute) async throws {
        let names: Set = ["seg1010.m4s", "seg1010.mp4"]
        let station = try Self.station(late: names, for: 1, as: substitute, container: .fragmentedMP4)
        let totals = try await station.monitor(station.channels(1...1), for: 120)
        expect(
            station, try await Self.expectedTags(120, container: .fragmentedMP4), accepted: totals.accepted)
        #expect(station.events.findings.isEmpty, "\(station.events.findings)")
    }

    // MARK: Backups and restarts

    /// One late segment is no reason to read the backup.
    @Test(arguments: [1.0, 4, 15])
    func backup_isNotRead_whileOneSegmentIsLate(seconds: Double) async throws {
        let station = try Self.station(late: ["seg1010.ts"], for: seconds, playlistCount: 2)
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 120)
        #expect(station.notes.isEmpty && station.backupSegmentCount == 0, "\(station.notes)")
        expect(station, try await Self.expectedTags(120), accepted: totals.accepted)
    }

    @Test func backup_isRead_whileAllSegmentsOfThePrimaryAreMissing() async throws {
        let names = Set((1_008...1_020).map { "seg\($0).ts" })
        let station = try Self.station(late: names, for: 20, playlistCount: 2)
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 200)
        #expect(
            station.notes.first?.hasSuffix(" because its segments cannot be read") == true, "\(station.notes)"
        )
        expect(station, try await Self.expectedTags(200), accepted: totals.accepted)
    }

    /// The segment after the missing one was read before the restart.
    @Test func segment_missingBeforeARestart_isReadAfterIt() async throws {
        let station = try Self.station(late: ["seg1005.ts"], for: 20)
        _ = try await station.monitor(station.channels(1...1), for: 18)
        let before = Set(station.events.owners(of: "ch1"))
        let totals = try await station.monitor(station.channels(1...1), for: 60)
        let expected = try await Self.expectedTags(78)
        #expect(before.count < expected.count)
        expect(station, expected, accepted: totals.accepted)
        #expect(totals.accepted == Int64(expected.count))
    }
}
