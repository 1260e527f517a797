import DTVRKit
import Foundation
import PlayerCertification
import PlayerSession
import TestSupport
import Testing

/// A server program with its own segments, tags, client and log, which uses what `dtvr` can do.
@Suite(.timeLimit(.minutes(30))) struct OwnPipelineTests {
    private static let folder = Project.demo + "/v360"

    private static func content(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
    }

    /// A client that has the files of the demonstration stream, and answers with an error status for others.
    private struct Archive: ResourceLoader {
        var damaged: String?

        func load(_ request: ResourceRequest) async throws -> ResourceResponse {
            let name = String(request.url.split(separator: "/").last ?? "")
            if name == damaged { return ResourceResponse(status: 503, body: []) }
            if name == "moved.m3u8" {
                return ResourceResponse(
                    url: "http://archive.example/v360/index.m3u8",
                    body: try OwnPipelineTests.content("index.m3u8"))
            }
            return ResourceResponse(body: try OwnPipelineTests.content(name))
        }
    }

    private static func verdict(
        _ address: String, damaged: String? = nil
    ) async throws -> HealthVerdict {
        let fetcher = try ResourceFetcher(loader: Archive(damaged: damaged))
        return try await InputResolver(fetcher: fetcher).resolve(address).verdict(through: fetcher)
    }

    private static func verdictOfFiles() async throws -> HealthVerdict {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0"))
        let fetcher = try ResourceFetcher(client: client)
        return try await InputResolver(fetcher: fetcher).resolve(folder + "/index.m3u8")
            .verdict(through: fetcher)
    }

    @Test func segments_fromMemory_haveTheVerdictAndTagsOfThePlaylist() async throws {
        let reader = try MemorySegmentReader(source: "memory")
        var checker = StreamChecker(source: "memory")
        var tags: [TagOccurrence] = []
        for number in 0..<19 {
            let name = "seg\(String(repeating: "0", count: number < 10 ? 4 : 3))\(number).ts"
            let reading = await reader.read(
                try Self.content(name), name: name, duration: 6.4, mediaSequence: UInt64(number),
                // The date of the playlist, 2026-11-20 at 12:00 UTC.
                programDateTime: number == 0 ? 1_795_176_000_000 : nil, isLast: number == 18)
            checker.observe(reading)
            tags += reading.tags
        }
        let verdict = checker.finish()

        let expected = try await Self.verdictOfFiles()
        #expect(verdict.status == .pass && verdict.isComplete)
        #expect(verdict.tags == expected.tags)
        #expect(
            verdict.outcomes.map { [$0.id.rawValue, $0.status.rawValue] }
                == expected.outcomes.map { [$0.id.rawValue, $0.status.rawValue] })
        #expect(tags.count == 13)
        #expect(tags.allSatisfy { $0.origin.place.source == "memory" && $0.position >= 0 })
    }

    @Test func presentation_throughACallersLoader_hasTheVerdictOfTheFiles() async throws {
        let expected = try await Self.verdictOfFiles()
        for address in ["http://archive.example/v360/index.m3u8", "http://archive.example/moved.m3u8"] {
            let verdict = try await Self.verdict(address)
            #expect(verdict.outcomes == expected.outcomes)
            #expect(verdict.tags == expected.tags && verdict.isComplete && verdict.failures.isEmpty)
        }
    }

    @Test func segment_thatTheLoaderDoesNotHave_isAFailureOfTheVerdictWithItsReason() async throws {
        let verdict = try await Self.verdict(
            "http://archive.example/v360/index.m3u8", damaged: "seg00004.ts")
        #expect(!verdict.isComplete && verdict.failedSegmentCount == 1)
        #expect(verdict.failures.map(\.segment) == ["seg00004.ts"])
        #expect(verdict.failures.map(\.reason) == ["the server answered 503"])
    }

    @Test func privateAddress_inAPlaylistOfALoader_isRefusedBeforeTheLoaderIsCalled() async throws {
        struct Lure: ResourceLoader {
            func load(_ request: ResourceRequest) async throws -> ResourceResponse {
                let playlist =
                    "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nhttp://127.0.0.1/a.ts\n#EXT-X-ENDLIST\n"
                #expect(request.url == "http://archive.example/index.m3u8")
                return ResourceResponse(body: Array(playlist.utf8))
            }
        }
        let fetcher = try ResourceFetcher(loader: Lure())
        let presentation = try await InputResolver(fetcher: fetcher)
            .resolve("http://archive.example/index.m3u8")
        let verdict = await presentation.verdict(through: fetcher)
        #expect(verdict.failures.count == 1)
        #expect(verdict.failures.first?.reason.contains("not permitted") == true)
    }

    @Test func errorOfALoader_isTheReason_withoutTheQueryOfTheAddress() async throws {
        struct Unreachable: ResourceLoader {
            struct Failure: Error { let url: String }

            func load(_ request: ResourceRequest) async throws -> ResourceResponse {
                throw Failure(url: request.url)
            }
        }
        let fetcher = try ResourceFetcher(loader: Unreachable())
        do {
            _ = try await InputResolver(fetcher: fetcher)
                .resolve("http://archive.example/index.m3u8?token=secret")
            Issue.record("nothing can be loaded")
        } catch {
            #expect(error.isRetriable && error.reason.contains("Failure"))
            #expect(!error.reason.contains("secret"), "\(error.reason)")
        }
    }

    @Test func verdict_thatWasCancelled_isNotComplete() async throws {
        let fetcher = try ResourceFetcher(loader: Archive())
        let presentation = try await InputResolver(fetcher: fetcher)
            .resolve("http://archive.example/v360/index.m3u8")
        let verdict = await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await presentation.verdict(through: fetcher)
        }.value
        #expect(!verdict.isComplete)
    }

    @Test func tags_ofALog_haveAVerdictWithoutStream() async throws {
        let fetcher = try ResourceFetcher(loader: Archive())
        let presentation = try await InputResolver(fetcher: fetcher)
            .resolve("http://archive.example/v360/index.m3u8")
        var tags: [NielsenTag] = []
        var checker = StreamChecker(presentation.readings(through: fetcher))
        for await segment in presentation.readings(through: fetcher) {
            checker.observe(segment)
            tags += segment.tags.map(\.tag)
        }
        #expect(checker.finish().status == .pass)

        #expect(HealthVerdict(of: tags, source: "log").status == .pass)
        let gap = tags.filter { $0.sequence != 4 }
        let verdict = HealthVerdict(of: gap, source: "log")
        #expect(verdict.outcomes.first { $0.id.rawValue == "sequence.step" }?.status == .fail)
    }

    @Test func rowsOfABuffer_areListedExportedVerifiedAndPruned() async throws {
        let fetcher = try ResourceFetcher(loader: Archive())
        let presentation = try await InputResolver(fetcher: fetcher)
            .resolve("http://archive.example/v360/index.m3u8")
        let folder = try TemporaryFolder()
        let buffer = try await TagBuffer.open(directory: folder.path + "/tags")
        let ingest = TagIngest(into: buffer)
        for await segment in presentation.readings(through: fetcher) {
            _ = try await ingest.append(segment.tags)
        }

        let rows = try await buffer.page(of: .waiting)
        #expect(rows.count == 13 && rows.allSatisfy { $0.tag != nil && $0.refusal == nil })
        let line = try #require(rows.first?.json)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["id"] as? String == rows.first?.id && object["owner"] is String)
        #expect(try await buffer.page(of: .waiting, after: rows.last?.sequence ?? 0).isEmpty)
        #expect(try await buffer.page(of: .deadLetters).isEmpty)

        let tag = try #require(rows.first?.tag)
        #expect(tag.json.contains("\"kind\":\"") && !tag.json.contains("\n"))
        let columns = TagOccurrence.csvHeader.split(separator: ",", omittingEmptySubsequences: false)
        #expect(tag.csvLine.split(separator: ",", omittingEmptySubsequences: false).count == columns.count)

        let found = try await buffer.verify()
        #expect(found.isIntact && found.rowCount == 13)
        #expect(try await buffer.retryDeadLetters() == 0)
        #expect(try await buffer.prune(.waiting, olderThan: .seconds(3_600)) == 0)
        #expect(try await buffer.prune(.waiting, olderThan: .zero) == 13)
        #expect(buffer.losses().pruned == 13)
        await buffer.close()
    }

    @Test func log_ofAPlayer_isCertifiedLikeByTheTool() throws {
        let logs = Project.root + "/Tests/Products/PlayerCertificationTests/Logs/"
        for (name, status) in [("order.stop.pass", CheckStatus.pass), ("order.stop.fail", .fail)] {
            var certification = Certification(of: name)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: logs + name + ".jsonl")))
            for start in stride(from: 0, to: bytes.count, by: 1_000) {
                certification.read(Array(bytes[start..<min(start + 1_000, bytes.count)]))
            }
            let report = certification.finish()
            #expect(report.market == .us)
            #expect(report.outcomes.first { $0.id.rawValue == "order.stop" }?.status == status)
            #expect(report.document(as: .json)?.contains("\"order.stop\"") == true)
            #expect(report.document(as: .csv) == nil)
        }
    }

    @Test func checks_andLimits_areListedWithTheirTexts() {
        let ids = CheckID.all + CheckID.ofMonitorOnly
        #expect(ids.count == Set(ids).count && ids.count > 40)
        for id in ids {
            let check = id.declaration
            #expect(check?.id == id && check?.title.isEmpty == false && check?.action.isEmpty == false)
        }
        #expect(CheckID("no.such").declaration == nil)
        let limits = HealthLimit.all + HealthLimit.ofMonitorOnly
        #expect(limits.contains(.gap) && limits.allSatisfy { $0.name.hasPrefix("limit-") })
    }
}
