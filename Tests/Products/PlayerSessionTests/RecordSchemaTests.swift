import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// Every record of every log and of random calls conforms to docs/records.schema.json.
@Suite(.timeLimit(.minutes(30))) struct RecordSchemaTests {
    /// Returns the status and the output of the comparison with the schema.
    private static func compare(_ lines: [String]) async throws -> (status: Int32, output: String) {
        let finished = try await FinishedProcess.of(
            "/usr/bin/python3", [Project.root + "/Scripts/record-schema.py"],
            input: Data(lines.map { $0 + "\n" }.joined().utf8))
        return (finished.status, String(decoding: finished.output + finished.errors, as: UTF8.self))
    }

    private static func calls(in file: String) throws -> [SessionCall] {
        var lines: [CallLogLine] = []
        var reader = CallLogReader()
        reader.read([UInt8](try Data(contentsOf: URL(filePath: file)))) { lines.append($0) }
        reader.finish { lines.append($0) }
        return lines.compactMap { line in
            guard case .call(let name, let arguments) = line.content else { return nil }
            return SessionCall(named: name, arguments)
        }
    }

    private static var logs: [String] {
        [Project.root + "/Tests/Products/PlayerSessionTests/Traces", Project.traces].compactMap(\.self)
            .flatMap { folder in
                let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
                return files.filter { $0.hasSuffix(".jsonl") }.map { "\(folder)/\($0)" }
            }
    }

    @Test func records_ofAllLogs_conformToTheSchema() async throws {
        var lines: [String] = []
        for log in Self.logs {
            for isOptedOut in [false, true] {
                var made = RecordedCalls(SessionPolicy(sendsOptedOut: true))
                if isOptedOut { try made.make([SessionCall(.userOptOut, ["nielsenappsdk://1"])]) }
                try made.make(try Self.calls(in: log))
                #expect(RecordReferences.objections(made.records).isEmpty, "\(log)")
                #expect(made.records("tag").count == made.machine.counts.stored, "\(log)")
                lines += made.lines
            }
        }
        #expect(lines.count > 100)
        let result = try await Self.compare(lines)
        #expect(result.status == 0, "\(result.output.suffix(2_000))")
    }

    @Test func records_ofRandomCalls_conformToTheSchema() async throws {
        var lines: [String] = []
        for seed in 0..<600 {
            var generator = RandomCallTests.SeededGenerator(state: UInt64(seed) &+ 1 << 50)
            var made = RecordedCalls(SessionPolicy(sendsOptedOut: seed % 2 == 0))
            let calls = (0..<60).map { _ in RandomCallTests.randomCall(&generator) }
            try made.make(calls + DeviceRecordTests.invalid.map { SessionCall($0.call, [$0.argument]) })
            try made.make([
                SessionCall(.trackViewability, [DeviceRecordTests.viewability]), SessionCall(.free),
            ])
            #expect(RecordReferences.objections(made.records).isEmpty, "seed \(seed)")
            lines += made.lines
        }
        #expect(lines.count > 1_000)
        let result = try await Self.compare(lines)
        #expect(result.status == 0, "\(result.output.suffix(2_000))")
    }

    /// The schema rejects invalid records; otherwise the comparison would prove nothing.
    @Test func invalidRecords_areRejectedByTheSchema() async throws {
        let made = try RecordedCalls.records(
            of: [
                SessionCall(.initialize, [RecordedCalls.appInformation]), RecordedCalls.load("A"),
                RecordedCalls.tag("a"),
            ])
        #expect(made.lines.count == 3)
        let wrong = made.lines.map { $0.replacingOccurrences(of: #""kind":"#, with: #""knd":"#) }
        let result = try await Self.compare(wrong + [#"{"kind":"session"}"#])
        #expect(result.status == 1)
        for number in 1...4 { #expect(result.output.contains("-:\(number): "), "\(number)") }
    }
}
