import CollectorService
import Foundation
import HTTPTransfer
import TagDelivery
import TagStore
import TestSupport
import Testing

/// A buffer of an earlier build opens with all of its contents, and is delivered.
@Suite(.timeLimit(.minutes(30))) struct EarlierBufferTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/EarlierBuffer")

    private func copy(to folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/store"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for name in ["tags.sqlite", "tags.sqlite-wal", "high-water", "status.json"] {
            try FileManager.default.copyItem(
                atPath: Self.fixture.appendingPathComponent(name).path, toPath: path + "/" + name)
        }
        return path
    }

    /// Returns the lines of the pending tags.
    private func waiting() throws -> String {
        try String(contentsOf: Self.fixture.appendingPathComponent("waiting.ndjson"), encoding: .utf8)
    }

    /// Returns the values of a key in lines of JSON, in order.
    private func values(of key: String, in lines: String) -> [String] {
        lines.split(separator: "\n").compactMap { line in
            line.range(of: "\"\(key)\":\"").flatMap { start in
                line[start.upperBound...].split(separator: "\"", maxSplits: 1).first.map(String.init)
            }
        }
    }

    @Test func buffer_ofAnEarlierBuild_opensWithItsTotals() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: try copy(to: folder))
        #expect(buffer.findings == OpeningFindings())
        #expect(buffer.id.text == "dc48516f4136d8b45da1af9d13180382")
        let totals = buffer.totals()
        #expect(totals.accepted == 61 && totals.delivered == 11 && totals.inStore == 35)
        #expect(totals.refused == 0 && totals.isBalanced)
        let losses = totals.losses
        #expect(losses.pruned == 13 && losses.dead == 2 && losses.total == 15)
        #expect(try await buffer.verify().isIntact)
        #expect(try await buffer.deadLetters(maximumCount: 10).map(\.code) == ["bad_tag", "bad_tag"])
        let schedule = try #require(DeliverySchedule(forAnySink: try await buffer.deliveryState()))
        #expect(schedule.failureCount == 8 && schedule.unansweredCount == 13)
        guard case .backingOff(_, let reason) = schedule.state else {
            Issue.record("\(schedule.state)")
            return
        }
        #expect(reason.hasPrefix("POST http://127.0.0.1:9/: no connection"))
        await buffer.close()
    }

    @Test func channels_ofAnEarlierBuild_continueAfterTheirBookmarks() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: try copy(to: folder))
        for channel in ["ch1", "ch2"] {
            #expect(try await buffer.bookmark(of: channel, in: channel) == 1_015)
            let lines = try waiting().split(separator: "\n").filter {
                $0.contains(#""channel":"\#(channel)""#)
            }
            let ids = values(of: "id", in: lines.joined(separator: "\n")).compactMap { TagID(text: $0) }.map {
                Bookmark.RecentTag($0)
            }
            #expect(ids.count == 11)
            #expect(try await buffer.recentTags(of: channel) == ids)
        }
        await buffer.close()
    }

    @Test func status_ofAnEarlierBuild_isRead() throws {
        let folder = try TemporaryFolder()
        let status = try #require(StoreStatus.lastWritten(in: try copy(to: folder)))
        #expect(status.deadLetterCount == 2 && status.files.reserve == 1_605_632)
        #expect(status.maximumAgeMilliseconds == 864_000_000 && status.state == .normal)
        #expect(DeliverySchedule(forAnySink: status.deliveryState)?.failureCount == 8)
    }

    @Test func tags_ofAnEarlierBuild_areDelivered() async throws {
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: try copy(to: folder))
        let collector = try Collector(settings: CollectorSettings(folder: folder.path + "/collected"))
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let uploader = Uploader(
            buffer: buffer, sink: HTTPTagSink(url: collector.url, client: client),
            builder: .recordedTags(of: buffer.id, version: "dtvr/0.0-test"))
        #expect(try await uploader.drain().end == .drained)
        #expect(uploader.progress.deliveredCount == 35 && buffer.totals().inStore == 0)
        #expect(buffer.totals().isBalanced && buffer.losses().total == 15)
        await buffer.close()

        let waiting = try waiting()
        let collected = try folder.collectedLines()
        #expect(values(of: "owner", in: waiting).count == 35)
        for key in ["id", "owner", "received", "source", "channel"] {
            #expect(values(of: key, in: collected) == values(of: key, in: waiting), "\(key)")
        }
    }
}
