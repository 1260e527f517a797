import NielsenID3
import PlayerSession
import Reporting
import StreamHealth
import TagRecord
import TagStore
import TestSupport
import Testing
import TextForms

@testable import PlayerCertification

/// The verdicts on a log, on the records that its replay stores, and the findings of the replay.
@Suite(.timeLimit(.minutes(30))) struct AgreementTests {
    /// Replays a log, and returns its summary and the records, as lines.
    private static func replay(_ bytes: [UInt8]) async throws -> (summary: ReplaySummary, records: [UInt8]) {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path + "/store")
        let replay = CallReplay(buffer: buffer, directory: folder.path + "/store")
        var reader = CallLogReader()
        var lines: [CallLogLine] = []
        reader.read(bytes) { lines.append($0) }
        reader.finish { lines.append($0) }
        for line in lines { _ = await replay.perform(line) }
        let summary = replay.summary
        await replay.finish()
        var writer = JSONWriter()
        for row in try await buffer.nextBatch(maximumCount: 10_000, maximumByteCount: .max) {
            writer.beginObject()
            try StoredRecord.decode(row.body.span).writeWireMembers(
                id: "\(row.id)", received: row.received, to: &writer)
            writer.endObject()
            writer.endLine()
        }
        await buffer.close()
        return (summary, writer.bytes)
    }

    private static func failed(_ report: CertificationReport) -> [String] {
        report.outcomes.filter { $0.status == .fail }.map {
            "\($0.id) \($0.findings.first?.detail ?? "")"
        }
    }

    @Test(arguments: GuideSequence.all)
    func sequence_itsReplayAndItsRecords_agree(sequence: GuideSequence) async throws {
        let script = sequence.make()
        let log = RuleTests.report(on: script.bytes, market: sequence.market, platform: sequence.platform)
        let (summary, records) = try await Self.replay(script.bytes)
        let isOptedOut = script.calls.contains { $0.name == "userOptOut" }
        let found = summary.findings.filter { !isOptedOut || $0.key.rawValue != "not.measured" }
        #expect(found.isEmpty == log.summary.findings.isEmpty, "\(found) \(log.summary.findings)")
        #expect(summary.callCount == log.summary.callCount)
        guard !isOptedOut else { return }
        #expect(!records.isEmpty)
        let ofRecords = RuleTests.report(on: records, market: sequence.market, platform: sequence.platform)
        #expect(Self.failed(ofRecords).isEmpty, "\(Self.failed(ofRecords))")
    }

    /// A violation that a record can show is found in it, too.
    @Test(
        arguments: GuideViolation.all.filter {
            ["metadata.keys", "metadata.values", "tag.form"].contains($0.rule)
        })
    func violation_itsReplayAndItsRecords_agree(violation: GuideViolation) async throws {
        let sequence = try #require(GuideSequence.named(violation.sequence))
        let script = violation.change(sequence.make())
            .replacing("nielsenappsdk://1", with: "nielsenappsdk://0")
        let (summary, records) = try await Self.replay(script.bytes)
        let ofRecords = RuleTests.report(on: records, market: sequence.market, platform: sequence.platform)
        #expect(Self.failed(ofRecords).contains { $0.hasPrefix(violation.rule) }, "\(Self.failed(ofRecords))")
        // The app of Norway names no market.
        #expect(violation.rule == "tag.form" || sequence.market == .no || !summary.findings.isEmpty)
    }
}
