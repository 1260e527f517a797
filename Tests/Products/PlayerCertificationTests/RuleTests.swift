import Foundation
import NielsenID3
import PlayerSession
import Reporting
import StreamHealth
import TestSupport
import Testing

@testable import PlayerCertification

/// Each rule has a log that violates only this rule, and a correct version of that log.
@Suite(.timeLimit(.minutes(30))) struct RuleTests {
    static let logs = Project.root + "/Tests/Products/PlayerCertificationTests/Logs"
    /// The rules that need no stream; `AgainstTests` covers the others.
    static let ids = RuleRegistry.declarations.map(\.id.rawValue).filter { !$0.hasPrefix("against.") }

    static func report(
        on bytes: [UInt8], market: Market? = nil, platform: Platform? = nil, recordsCalls: Bool = false
    ) -> CertificationReport {
        var options = Certification.Options()
        (options.market, options.platform) = (market, platform)
        var certification = Certification(
            of: "log", options: options, against: nil, recordsCalls: recordsCalls)
        var reader = CertificationReader()
        var lines: [CallLogLine] = []
        reader.read(bytes) { lines.append($0) }
        reader.finish { lines.append($0) }
        for line in lines { certification.observe(line) }
        return certification.finish()
    }

    static func report(onLog name: String) throws -> CertificationReport {
        report(on: [UInt8](try Data(contentsOf: URL(filePath: "\(logs)/\(name).jsonl"))))
    }

    /// Returns the ids of the rules that a log violates.
    private static func violated(_ report: CertificationReport) -> [String] {
        report.outcomes.filter { $0.status > .pass }.map(\.id.rawValue)
    }

    @Test func everyRule_hasAFailingAndAPassingLog() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.logs)
        #expect(Set(files) == Set(Self.ids.flatMap { ["\($0).fail.jsonl", "\($0).pass.jsonl"] }))
        #expect(Set(Self.ids).count == Self.ids.count)
    }

    @Test(arguments: ids)
    func log_thatViolatesARule_violatesNoOther(id: String) throws {
        let report = try Self.report(onLog: id + ".fail")
        #expect(
            Self.violated(report) == [id],
            "\(report.outcomes.flatMap(\.findings).map { "\($0.place.call?.line ?? 0) \($0.detail)" })")
        let outcome = try #require(report.outcomes.first { $0.id.rawValue == id })
        #expect(outcome.status == outcome.declaration?.worst)
        #expect(outcome.findings.first?.place.call != nil)
    }

    @Test(arguments: ids)
    func passingLog_ofEachRule_violatesNoRule(id: String) throws {
        let report = try Self.report(onLog: id + ".pass")
        #expect(
            Self.violated(report).isEmpty,
            "\(report.outcomes.flatMap(\.findings).map { "\($0.place.call?.line ?? 0) \($0.detail)" })")
        #expect(report.outcomes.first { $0.id.rawValue == id }?.status == .pass)
    }

    /// The log of a user who opted out in an earlier launch has neither values nor the choice as a call.
    @Test(arguments: Market.allCases)
    func log_ofUserWhoOptedOutBefore_violatesNoRule(market: Market) async throws {
        let folder = try TemporaryFolder()
        var options = SessionOptions(directory: folder.path + "/store")
        options.log = folder.path + "/calls.jsonl"
        let app: MetadataValue = [
            "appid": "T0000D7A1-0000-4000-8000-00000000D7A1", "appname": "App", "appversion": "1",
            "sfcode": .text(market.rawValue),
        ]
        for launch in 1...2 {
            let session = MeasurementSession(appInfo: app, options: options)
            if launch == 1 { session.userOptOut("nielsenappsdk://1") }
            session.ggPM("loadMetadata", ["type": "content", "assetid": "A"])
            session.play(["channelName": "One"])
            session.loadMetadata(["type": "content", "assetid": "A", "adloadtype": "2"])
            session.playheadPosition(1.5)
            session.end()
            await session.finish()
        }
        let log = try Data(contentsOf: URL(filePath: folder.path + "/calls.jsonl"))
        let report = Self.report(on: [UInt8](log))
        #expect(
            Self.violated(report).isEmpty,
            "\(report.outcomes.flatMap(\.findings).map { "\($0.place.call?.line ?? 0) \($0.detail)" })")
    }

    /// A rule that did not run states what to do in the app.
    @Test func emptyLog_runsNoRules_andExplainsWhy() {
        let report = Self.report(on: [])
        #expect(report.outcomes.allSatisfy { $0.status == .notRun && $0.reason?.isEmpty == false })
        #expect(report.status == .notRun)
    }

    @Test func market_isTakenFromTheOption_orElseTheApp() throws {
        let app =
            #"{"call":"init","arguments":[{"appid":"T0000D7A1-0000-4000-8000-00000000D7A1","appname":"a","appversion":"1"SF}]}"#
        let load = #"{"call":"loadMetadata","arguments":[{"type":"content","assetid":"A","adloadtype":"1"}]}"#
        for (facility, option, expected) in [
            (nil, nil, nil), (nil, "it", "it"), ("it", nil, "it"), ("US", nil, "us"), ("pl", "it", "it"),
            ("moon", nil, nil),
        ] as [(String?, String?, String?)] {
            let key = facility.map { ",\"sfcode\":\"\($0)\"" } ?? ""
            let log = app.replacing("SF", with: key) + "\n" + load
            let report = Self.report(on: Array(log.utf8), market: option.flatMap { Market(rawValue: $0) })
            #expect(report.market?.rawValue == expected)
            let status = report.outcomes.first { $0.id.rawValue == "metadata.keys" }?.status
            #expect((status == .notRun) == (expected == nil), "\(facility ?? "-") \(option ?? "-")")
            let italian = report.outcomes.first { $0.id.rawValue == "metadata.adloadtype" }?.status
            #expect((italian == .fail) == (expected == "it"))
        }
    }

    /// Guide 002 requires a playhead every two seconds; the other guides require one every second.
    @Test(
        arguments: [
            (1, []), (1.4, []),
            (2, ["no"]), (2.9, ["no"]), (4, ["us", "ire", "no", "it", "pl"]),
        ] as [(Double, [String])])
    func playheadInterval_isCheckedPerMarket(interval: Double, expected: [String]) throws {
        var log = #"{"at":0,"call":"loadMetadata","arguments":[{"type":"content","assetid":"A"}]}"# + "\n"
        for index in 0...10 {
            let time = Double(index) * interval
            log += "{\"at\":\(time),\"call\":\"playheadPosition\",\"arguments\":[\(Int(time))]}\n"
        }
        for market in [nil, .us, .dcr, .ire, .no, .it, .pl] as [Market?] {
            let report = Self.report(on: Array(log.utf8), market: market)
            let outcome = try #require(report.outcomes.first { $0.id.rawValue == "playhead.interval" })
            let isExpected = market.map { expected.contains($0.rawValue) } ?? false
            // Elsewhere the interval of guide 002 is a warning; guide 003 names none.
            let isUsual = !isExpected && interval >= 2 && [.ire, .it, .pl].contains(market)
            let status: CheckStatus = isExpected ? .fail : isUsual ? .warn : .pass
            #expect(outcome.status == status, "\(market?.rawValue ?? "none")")
            #expect(outcome.findings.count == (status == .pass ? 0 : 1))
        }
    }

    /// A damaged line is a finding with its number, and the other lines are checked.
    @Test func damagedLines_areFindings_andTheRestIsChecked() throws {
        let log = try Data(contentsOf: URL(filePath: "\(Self.logs)/order.stop.fail.jsonl"))
        let damage: [[UInt8]] = [
            Array("{\"call\":".utf8), [0xFF, 0xFE, 0x7B], Array(repeating: 0x5B, count: 10_000),
            Array(repeating: 0x61, count: 10_000_000), Array("[]".utf8), Array("{\"call\":7}".utf8),
        ]
        var bytes: [UInt8] = []
        for line in damage { bytes += line + [0x0A] }
        let report = Self.report(on: bytes + log + Array("{\"call\":\"st".utf8))
        let readable = try #require(report.outcomes.first { $0.id.rawValue == "log.readable" })
        #expect(readable.count == damage.count + 1)
        #expect(readable.findings.compactMap { $0.place.call?.line }.prefix(6) == [1, 2, 3, 4, 5, 6])
        #expect(report.outcomes.first { $0.id.rawValue == "order.stop" }?.status == .fail)
    }

    @Test func declarations_haveNoEmptyTexts() {
        for rule in RuleRegistry.declarations {
            let texts = [
                rule.notRun, rule.expectation, rule.title, rule.meaning, rule.appearance, rule.cause,
                rule.action,
                rule.source ?? "",
            ]
            #expect(texts.allSatisfy { !$0.isEmpty }, "\(rule.id)")
            #expect(rule.text().contains("Source"))
        }
    }
}
