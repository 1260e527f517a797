import CollectorService
import Foundation
import HTTPTransfer
import TagDelivery
import TagStore
import TestSupport
import Testing

/// A buffer that an earlier release left behind opens with everything that it says, and is delivered.
@Suite(.timeLimit(.minutes(30))) struct EarlierBufferTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/EarlierBuffer")

    /// A copy of the files, with the reserve under its earlier name, which is left out of the repository.
    private func copy(to folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/store"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in ["tags.sqlite", "tags.sqlite-wal", "high-water", "status.json"] {
            try FileManager.default.copyItem(
                atPath: Self.fixture.appendingPathComponent(name).path, toPath: path + "/" + name)
        }
        try Data(count: 1_048_576).write(to: URL(fileURLWithPath: path + "/ballast"))
        return path
    }

    /// The values of a key in lines of JSON, in order.
    private func values(of key: String, in lines: String) -> [String] {
        lines.split(separator: "\n").compactMap { line in
            line.range(of: "\"\(key)\":\"").flatMap { start in
                line[start.upperBound...].split(separator: "\"", maxSplits: 1).first.map(String.init)
            }
        }
    }

    @Test func buffer_ofAnEarlierRelease_opensWithItsTotals() async throws {
        let folder = try TemporaryFolder()
        let path = try copy(to: folder)
        let buffer = try await TagBuffer.open(directory: path)
        #expect(buffer.findings == OpeningFindings())
        let totals = buffer.totals()
        #expect(totals.accepted == 52 && totals.delivered == 11 && totals.inStore == 25)
        #expect(totals.refused == 0 && totals.isBalanced)
        let losses = totals.losses
        #expect(losses.pruned == 13 && losses.dead == 2 && losses.damaged == 1 && losses.total == 16)
        #expect(try await buffer.verify().isIntact)
        #expect(try await buffer.deadLetters(maximumCount: 10).map(\.code) == ["bad_tag", "bad_tag"])
        let schedule = try #require(DeliverySchedule(forAnySink: try await buffer.deliveryState()))
        guard case .backingOff = schedule.state else {
            Issue.record("\(schedule.state)")
            return
        }
        await buffer.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.contains("reserve") && !names.contains("ballast"))
    }

    @Test func status_ofAnEarlierRelease_isRead() throws {
        let folder = try TemporaryFolder()
        let status = try #require(StoreStatus.lastWritten(in: try copy(to: folder)))
        #expect(status.deadLetterCount == 2 && status.files.reserve == 1_048_576)
        #expect(status.maximumAgeMilliseconds == 864_000_000 && status.state == .normal)
    }

    @Test func tags_ofAnEarlierRelease_areDelivered() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: try copy(to: folder))
        let collector = try Collector(settings: CollectorSettings(folder: folder.path + "/collected"))
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let uploader = Uploader(
            buffer: buffer, sink: HTTPTagSink(url: collector.url, client: client),
            builder: .recordedTags(of: buffer.id, version: "dtvr/0.0-test"))
        #expect(try await uploader.drain() == .drained)
        #expect(uploader.progress.deliveredCount == 25 && buffer.totals().inStore == 0)
        #expect(buffer.totals().isBalanced && buffer.losses().total == 16)
        await buffer.close()

        let waiting = try String(
            contentsOf: Self.fixture.appendingPathComponent("waiting.ndjson"), encoding: .utf8)
        let collected = try folder.collectedLines()
        #expect(values(of: "owner", in: waiting).count == 25)
        for key in ["id", "owner", "received", "source"] {
            #expect(values(of: key, in: collected) == values(of: key, in: waiting), "\(key)")
        }
    }
}
