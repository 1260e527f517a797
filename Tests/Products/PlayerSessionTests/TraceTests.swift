import CollectorService
import Foundation
import HTTPTransfer
import PlayerSession
import TagDelivery
import TagStore
import TestSupport
import Testing

/// Logs of calls, replayed into a session with a real buffer that delivers to a collector.
@Suite(.timeLimit(.minutes(30))) struct TraceTests {
    private static let ours = names(in: Project.root + "/Tests/Products/PlayerSessionTests/Traces")
    /// The calls of public connectors and guides; other authors wrote the expected results.
    private static let theirs = Project.traces.map(names) ?? []

    static func names(in folder: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".jsonl") }.map { "\(folder)/\($0.dropLast(6))" }.sorted()
    }

    @Test func ownTraces_areComplete() {
        #expect(Self.ours.count == 7)
    }

    @Test(.enabled(if: Project.traces != nil, "the reference files are absent"))
    func referenceTraces_areComplete() {
        #expect(Self.theirs.count == 84)
    }

    /// A log names an instance in each line.
    @Test func instancesBeyondTheLimit_areUnreadable() async throws {
        let work = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: work.path + "/store")
        let replay = CallReplay(buffer: buffer, directory: work.path + "/store")
        let maximum = CallEvaluation.maximumSessionCount
        for number in 0..<maximum + 5 {
            let content = CallLogLine.Content.call(name: "stop", arguments: [])
            let line = CallLogLine(number: number + 1, at: 0, instance: "\(number)", content: content)
            let isReadable = await replay.perform(line).result.outcome != .unreadable
            #expect(isReadable == (number < maximum))
        }
        #expect(replay.summary.unreadableCount == 5 && replay.summary.callCount == maximum)
        await replay.finish()
        await buffer.close()
    }

    @Test(arguments: ours + theirs)
    func trace_throughSession_hasExpectedResults(name: String) async throws {
        let expected = try ExpectedTrace(URL(filePath: name + ".expected.json"))
        let work = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: work.path + "/store")
        let collector = try Collector(settings: CollectorSettings(folder: work.path + "/collected"))
        let replay = CallReplay(buffer: buffer, directory: work.path + "/store")

        var lines: [CallLogLine] = []
        var reader = CallLogReader()
        reader.read([UInt8](try Data(contentsOf: URL(filePath: name + ".jsonl")))) {
            lines.append($0)
        }
        reader.finish { lines.append($0) }
        var seen: Set<Int> = []
        for line in lines {
            let call = await replay.perform(line)
            seen.insert(line.number)
            let objections = expected.objections(
                line: line.number, outcome: call.result.outcome.rawValue, code: call.result.code?.rawValue,
                state: call.result.state.rawValue)
            #expect(objections.isEmpty, "\(name):\(line.number)")
            #expect(replay.summary.counts.isConserved, "\(name):\(line.number)")
        }
        if let calls = expected.calls { #expect(lines.count == calls) }
        #expect(expected.lineNumbers.isSubset(of: seen))

        let summary = replay.summary
        await replay.finish()
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        let uploader = Uploader(buffer: buffer, sink: HTTPTagSink(url: collector.url, client: client))
        #expect(try await uploader.drain().end == .drained)
        let totals = buffer.totals()
        await buffer.close()
        collector.stop()

        let all = try work.records(of: "collected")
        #expect(totals.delivered == Int64(all.count) && totals.inStore == 0)
        let records = all.filter { $0["owner"] != nil }
        #expect(records.count == summary.counts.stored)
        #expect(RecordReferences.objections(all).isEmpty)
        let owners = records.compactMap { $0["owner"] as? String }
        #expect(expected.objections(summary.counts, owners: owners).isEmpty)
        #expect(expected.objections(Set(summary.findings.keys.map(\.rawValue))).isEmpty)
        if let wanted = expected.records {
            try #require(wanted.count == records.count)
            for (fields, record) in zip(wanted, records) {
                for (key, value) in fields { #expect(record[key] as? String == value) }
            }
        }
    }
}
