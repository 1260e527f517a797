import CollectorService
import Foundation
import HTTPServing
import HTTPTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct CollectorTests {
    let folder: TemporaryFolder
    let client: HTTPClient

    init() throws {
        folder = try TemporaryFolder()
        client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
    }

    func collector(_ change: (inout CollectorSettings) -> Void = { _ in }) throws -> Collector {
        var settings = CollectorSettings(folder: folder.path)
        change(&settings)
        return try Collector(settings: settings)
    }

    @Test func batch_inEachEncoding_isStoredOnce() async throws {
        let collector = try collector()
        let plain = TestBatch.body(1...10)
        var expected = #"{"accepted":10,"duplicate":0,"rejected":[]}"#
        for (body, encoding) in [
            (plain, nil), (plain, "identity"), (try TestBatch.zstd(plain), "zstd"),
            (try TestBatch.gzip(plain), "gzip"),
            (try TestBatch.gzip(plain), "x-gzip"), (try TestBatch.zstd(plain), " ZSTD"),
        ] as [([UInt8], String?)] {
            let answer = try await client.send(TestBatch.request(collector, body, encoding: encoding))
            #expect(answer.status == 200 && answer.text == expected, "\(encoding ?? "none")")
            #expect(answer.headers["Content-Type"] == "application/json")
            expected = #"{"accepted":0,"duplicate":10,"rejected":[]}"#
        }
        #expect(try folder.lines() == (1...10).map(TestBatch.line))
    }

    @Test func status_matchesTheContractExactly() async throws {
        let collector = try collector()
        var request = HTTPRequest(url: collector.url + "status")
        #expect(
            try await client.send(request).text
                == #"{"accepted":0,"duplicate":0,"rejected":0,"batches":0,"stores":[]}"#)
        _ = try await client.send(TestBatch.request(collector, TestBatch.body(1...3)))
        _ = try await client.send(TestBatch.request(collector, TestBatch.body(2...4)))
        let expected =
            #"{"accepted":4,"duplicate":2,"rejected":0,"batches":2,"stores":[{"id":"\#(TestBatch.store)","last_seq":4}]}"#
        #expect(try await client.send(request).text == expected)
        request.method = .post(body: [])
        #expect(try await client.send(request).status == 405)
    }

    @Test func tag_twiceInOneBatch_isAcceptedOnce() async throws {
        let collector = try collector()
        let answer = try await client.send(TestBatch.request(collector, TestBatch.body([1, 2, 1, 1])))
        #expect(answer.text == #"{"accepted":2,"duplicate":2,"rejected":[]}"#)
        #expect(try folder.lines().count == 2)
    }

    @Test func restart_restoresIDsAndCounts() async throws {
        var collector: Collector? = try collector()
        _ = try await client.send(TestBatch.request(try #require(collector), TestBatch.body(1...5)))
        _ = try await client.send(TestBatch.request(try #require(collector), TestBatch.body(4...6)))
        let before = try #require(collector).status
        try #require(collector).stop()
        collector = nil
        let second = try self.collector()
        #expect(second.status == before && before.accepted == 6 && before.duplicate == 2)
        let answer = try await client.send(TestBatch.request(second, TestBatch.body(1...7)))
        #expect(answer.text == #"{"accepted":1,"duplicate":6,"rejected":[]}"#)
        #expect(Set(try folder.lines()) == Set((1...7).map(TestBatch.line)))
    }

    @Test func folder_inUse_isRefused() throws {
        let first = try collector()
        #expect(throws: CollectorError.inUse(path: folder.path)) { try collector() }
        first.stop()
    }

    /// Every truncated last line that a crash can leave, and the zeros that a power failure can leave in a block.
    @Test func lastLine_truncatedAnywhere_isRepaired() async throws {
        var collector: Collector? = try collector()
        _ = try await client.send(TestBatch.request(try #require(collector), TestBatch.body(1...3)))
        collector = nil
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("tags-") })
        let path = folder.path + "/" + name
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let last = Array((TestBatch.line(4) + "\n").utf8)
        let tails =
            (1..<last.count).map { Array(last[..<$0]) } + [
                [UInt8](repeating: 0, count: 4_096), Array("\u{0}\u{0}\n\u{0}\n".utf8),
            ]
        for tail in tails {
            try Data(whole + tail).write(to: URL(fileURLWithPath: path))
            collector = try self.collector()
            let running = try #require(collector)
            #expect(running.repairedByteCount == tail.count)
            #expect(running.status.accepted == 3 && running.rememberedIDCount == 3)
            #expect(Array(try Data(contentsOf: URL(fileURLWithPath: path))) == whole)
            collector = nil
        }
        // Damage in the middle loses only its line.
        let middle = Array(("{\"id\":\"x\"}\n" + TestBatch.line(9) + "\n").utf8)
        try Data(whole + middle).write(to: URL(fileURLWithPath: path))
        let running = try self.collector()
        #expect(running.damagedLineCount == 1 && running.status.accepted == 4)
        #expect(running.repairedByteCount == 0)
    }

    /// A record that could not be written is not a duplicate when it is sent again.
    @Test func batch_thatCannotBeWritten_isAcceptedWhenResent() async throws {
        let clock = ManualClock(unixMilliseconds: 1_795_000_000_000)
        let collector = try Collector(settings: CollectorSettings(folder: folder.path), clock: clock)
        let obstacle = folder.path + "/tags-2026-11-18.ndjson"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        let request = TestBatch.request(collector, TestBatch.body(1...3))
        #expect(try await client.send(request).status >= 500)
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try await client.send(request).text == #"{"accepted":3,"duplicate":0,"rejected":[]}"#)
        #expect(try folder.lines() == (1...3).map(TestBatch.line))
    }

    /// A disk that accepts the bytes but cannot persist them: the file is a FIFO, which cannot be synced.
    @Test func batch_thatCannotBeSynced_isNotAccepted() async throws {
        let clock = ManualClock(unixMilliseconds: 1_795_000_000_000)
        let collector = try Collector(settings: CollectorSettings(folder: folder.path), clock: clock)
        #expect(unsafe mkfifo(folder.path + "/tags-2026-11-18.ndjson", 0o600) == 0)
        let request = TestBatch.request(collector, TestBatch.body(1...3))
        #expect(try await client.send(request).status >= 500)
        #expect(collector.status.accepted == 0)
        // The next day has a file that can be synced.
        clock.advance(by: .seconds(86_400))
        #expect(try await client.send(request).text == #"{"accepted":3,"duplicate":0,"rejected":[]}"#)
    }

    /// An id is remembered for eleven days, to the last millisecond; after twelve days, it is forgotten and its memory
    /// is freed.
    @Test func ids_areRememberedForElevenDays() async throws {
        let day: Int64 = 86_400_000
        let start: Int64 = 1_795_000_000_000 / day * day + day - 1
        let clock = ManualClock(unixMilliseconds: start - day)
        let collector = try Collector(settings: CollectorSettings(folder: folder.path), clock: clock)
        // A tag of the previous day is forgotten first.
        _ = try await client.send(TestBatch.request(collector, TestBatch.body(2...2)))
        clock.setWallClock(unixMilliseconds: start)
        _ = try await client.send(TestBatch.request(collector, TestBatch.body(1...1)))
        for (later, isKnown) in [(day, true), (11 * day, true), (12 * day + 1, false)] {
            clock.setWallClock(unixMilliseconds: start + later)
            // Another tag, which starts the new day.
            _ = try await client.send(TestBatch.request(collector, TestBatch.body([Int(later)])))
            let answer = try await client.send(TestBatch.request(collector, TestBatch.body(1...1)))
            #expect(answer.text.contains(isKnown ? #""duplicate":1"# : #""accepted":1"#), "\(later)")
        }
    }

    @Test func restart_forgetsIDsOlderThanTwelveDays_andKeepsTheirCounts() async throws {
        let day: Int64 = 86_400_000
        let clock = ManualClock(unixMilliseconds: 1_795_000_000_000)
        for (step, known) in [(0, 0), (11, 1), (1, 1)] {
            clock.advance(by: .milliseconds(Int64(step) * day))
            let collector = try Collector(settings: CollectorSettings(folder: folder.path), clock: clock)
            #expect(collector.rememberedIDCount == known)
            _ = try await client.send(TestBatch.request(collector, TestBatch.body([step + 100])))
        }
        #expect(try collector().status.accepted == 3)
    }

    @Test func line_longerThanTheLimit_isRejected_andOthersAreAccepted() async throws {
        let collector = try collector { $0.maximumLineByteCount = TestBatch.line(1).utf8.count }
        let long = #"{"id":"\#(TestBatch.id(7))","x":"\#(String(repeating: "y", count: 300))"}"#
        let body = [TestBatch.header(), TestBatch.line(1), long, TestBatch.line(2)].joined(separator: "\n")
        let answer = try await client.send(TestBatch.request(collector, Array(body.utf8)))
        #expect(
            answer.text
                == #"{"accepted":2,"duplicate":0,"rejected":[{"id":"\#(TestBatch.id(7))","code":"too_large"}]}"#
        )
        #expect(collector.status.rejected == 1)
    }

    @Test func senders_inParallel_neitherLoseNorDuplicateTags() async throws {
        let collector = try collector()
        let client = client
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<32 {
                group.addTask {
                    let first = sender / 2 * 100
                    let body = try TestBatch.zstd(TestBatch.body(first..<(first + 100)))
                    let answer = try await client.send(TestBatch.request(collector, body, encoding: "zstd"))
                    #expect(answer.status == 200)
                }
            }
            try await group.waitForAll()
        }
        #expect(collector.status.accepted == 1_600 && collector.status.duplicate == 1_600)
        #expect(Set(try folder.lines()).count == 1_600)
        #expect(try folder.lines().count == 1_600)
    }

    @Test func stop_refusesLaterRequests() async throws {
        let collector = try collector()
        #expect(try await client.send(HTTPRequest(url: collector.url + "status")).status == 200)
        collector.stop()
        do throws(HTTPTransferError) {
            _ = try await client.send(HTTPRequest(url: collector.url + "status"))
            Issue.record("it answers still")
        } catch {
            #expect(error.isRetriable)
        }
    }

    @Test func collectorSettings_thatAreInvalid_areErrors() throws {
        #expect(throws: CollectorError.notServing(.invalidAddress("localhost"))) {
            try collector { $0.address = "localhost" }
        }
        let file = folder.path + "/cert.pem"
        #expect(throws: CollectorError.invalidCertificate(path: file)) {
            try collector {
                $0.certificateFile = file
                $0.privateKeyFile = file
            }
        }
        #expect(throws: CollectorError.invalidCertificate(path: "(none given)")) {
            try collector { $0.certificateFile = file }
        }
    }

    @Test func address_IPv6_isListenedOn() async throws {
        let collector: Collector
        do {
            collector = try self.collector { $0.address = "::1" }
        } catch CollectorError.notServing(.notListening(_, _)) {
            try Test.cancel("this machine has no IPv6")
        }
        #expect(collector.url.hasPrefix("http://[::1]:"))
        #expect(try await client.send(HTTPRequest(url: collector.url + "status")).status == 200)
    }
}
