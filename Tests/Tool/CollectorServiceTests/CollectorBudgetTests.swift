import Foundation
import HTTPServing
import HostSystem
import Synchronization
import TestSupport
import Testing

@testable import CollectorService

/// The limits of one sender, and the release of its shares at every end of a request.
@Suite(.timeLimit(.minutes(30))) struct CollectorBudgetTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func core(
        clock: any HostClock = .system, _ change: (inout CollectorSettings) -> Void = { _ in }
    ) throws -> CollectorCore {
        var settings = CollectorSettings(folder: folder.path)
        settings.tokens = try CollectorTokens(parsing: "abc one\ndef two\n")
        change(&settings)
        return try CollectorCore(settings: settings, clock: clock) { _ in }
    }

    private static func head(
        _ fields: [String: String] = [:], token: String = "abc", method: String = "POST", path: String = "/"
    ) -> HTTPServerRequest {
        let usual = [
            "Authorization": "Bearer \(token)", "Content-Type": "application/x-ndjson",
            "Content-Length": "1000",
        ]
        let all = usual.merging(fields) { $1 }.filter { !$0.value.isEmpty }
        return HTTPServerRequest(
            method: method, path: path, fields: all.map { .init(name: $0.key, value: $0.value) })
    }

    /// A request, and the part of it that arrives.
    private struct Exit: CustomTestStringConvertible {
        let testDescription: String
        /// The status of the answer; nil without one.
        let status: Int?
        var fields: [String: String] = [:]
        var method = "POST"
        var body = TestBatch.body(1...2)
        /// Whether the connection ends before the end of the body.
        var isAborted = false
        /// Whether the head takes a part of the budget.
        var takes = true
        var change: @Sendable (inout CollectorSettings) -> Void = { _ in }

        init(_ name: String, _ status: Int?, _ change: (inout Exit) -> Void = { _ in }) {
            testDescription = name
            self.status = status
            change(&self)
        }

        init(_ name: String, _ status: Int?, fault: CollectorFault) {
            self.init(name, status) { $0.change = { $0.faults = [ScriptedFault(fault)] } }
        }
    }

    private static let exits = [
        Exit("stored", 200),
        Exit("stored, gzip", 200) {
            $0.fields["Content-Encoding"] = "gzip"
            $0.body = (try? TestBatch.gzip($0.body)) ?? []
        },
        Exit("stored, zstd", 200) {
            $0.fields["Content-Encoding"] = "zstd"
            $0.body = (try? TestBatch.zstd($0.body)) ?? []
        },
        Exit("without a length", 200) { $0.fields = ["Content-Length": "", "Transfer-Encoding": "chunked"] },
        Exit("disconnected before the body", nil) {
            $0.body = []
            $0.isAborted = true
        },
        Exit("disconnected in the body", nil) { $0.isAborted = true },
        Exit("no token", 401) {
            $0.fields["Authorization"] = ""
            $0.takes = false
        },
        Exit("another type", 415) {
            $0.fields["Content-Type"] = "text/plain"
            $0.takes = false
        },
        Exit("another encoding", 415) {
            $0.fields["Content-Encoding"] = "br"
            $0.takes = false
        },
        Exit("neither length nor chunks", 411) {
            $0.fields["Content-Length"] = ""
            $0.takes = false
        },
        Exit("a length beyond the limit", 413) {
            $0.fields["Content-Length"] = "5000000"
            $0.takes = false
        },
        Exit("another method", 405) {
            $0.method = "PUT"
            $0.takes = false
        },
        Exit("a body beyond the limit", 413) {
            $0.body = [UInt8](repeating: 0x20, count: 2_000)
            $0.change = { $0.maximumBodyByteCount = 1_000 }
        },
        Exit("an endless body", nil) {
            $0.body = [UInt8](repeating: 0x20, count: 9_000)
            $0.change = { $0.maximumBodyByteCount = 1_000 }
        },
        Exit("a decoded body beyond the limit", 413) { $0.change = { $0.maximumDecodedByteCount = 10 } },
        Exit("not in its encoding", 400) { $0.fields["Content-Encoding"] = "gzip" },
        Exit("too many tags", 413) { $0.change = { $0.maximumTagCount = 1 } },
        Exit("no header", 400) { $0.body = Array("{}".utf8) },
        Exit("an empty body", 400) { $0.body = [] },
        Exit("another idempotency key", 400) { $0.fields["Idempotency-Key"] = "0123" },
        Exit("a lost answer", nil, fault: .lostAnswer),
        Exit("garbage", 200, fault: .garbage),
        Exit("a scripted status", 429, fault: .status(429, retryAfter: nil)),
        Exit("a reset", nil, fault: .reset(afterByteCount: 10)),
        Exit("not written", 503) { $0.change = { $0.address = "0.0.0.0" } },
        Exit("no memory", 503) {
            $0.change = {
                $0.memoryByteCount = 4_000
                $0.memoryWait = .zero
            }
        },
    ]

    @Test(arguments: exits) private func request_givesBackWhatItTook(exit: Exit) throws {
        let clock = ManualClock(unixMilliseconds: 1_795_000_000_000)
        let core = try core(clock: clock, exit.change)
        // The storage of one case fails, and another sender has the memory in another one.
        if exit.testDescription == "not written" {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/tags-2026-11-18.ndjson", withIntermediateDirectories: false)
        }
        let memory =
            exit.testDescription == "no memory" ? try core.budget.decode("two", byteCount: 3_000) : nil
        let (batchCount, byteCount) = (core.budget.batchCount, core.budget.memoryUsage.current)
        var request: CollectorRequest? = CollectorRequest(
            Self.head(exit.fields, method: exit.method), core: core)
        #expect(core.budget.batchCount == batchCount + (exit.takes ? 1 : 0))
        #expect((core.budget.memoryUsage.current > byteCount) == exit.takes)
        var step = RequestStep.proceed
        for start in stride(from: 0, to: exit.body.count, by: 100) {
            let part = Array(exit.body[start..<min(start + 100, exit.body.count)])
            if case .proceed = step { step = request?.receive(part.span) ?? .drop }
        }
        if case .proceed = step, !exit.isAborted { step = request?.finish() ?? .drop }
        switch (step, exit.status) {
        case (.answer(let answer), let status): #expect(answer.status == status)
        case (_, let status): #expect(status == nil)
        }
        // The bytes are released before the answer is sent, unless the connection ends before.
        if case .answer = step, exit.status != 503 {
            #expect(exit.body.isEmpty || exit.status != 200 || core.budget.memoryUsage.current == byteCount)
        }
        request = nil
        #expect(core.budget.batchCount == batchCount && core.budget.memoryUsage.current == byteCount)
        withExtendedLifetime(memory) {}
    }

    private func status(_ step: RequestStep) -> (status: Int, code: String, retry: String?) {
        guard case .answer(let answer) = step else { return (0, "", nil) }
        let text = String(decoding: answer.body, as: UTF8.self)
        let code = text.split(separator: "\"").dropFirst(5).first.map(String.init) ?? ""
        return (answer.status, code, answer.fields.first { $0.name == "Retry-After" }?.value)
    }

    @Test(arguments: [1, 8, 64, 256])
    func sender_withAsManyRequestsAsConnections_leavesSomeForOthers(limit: Int) throws {
        let core = try core { $0.maximumConnectionCount = limit }
        var requests = (0..<limit).map { _ in CollectorRequest(Self.head(), core: core) }
        let count = max(1, limit - max(1, limit / 8))
        #expect(core.budget.batchCount == count)
        for (number, request) in requests.enumerated() where number >= count {
            let refused = status(request.finish())
            #expect(refused.status == 503 && refused.code == "busy" && refused.retry == "5")
        }
        if limit > 1 {
            let other = CollectorRequest(Self.head(token: "def"), core: core)
            #expect(core.budget.batchCount == count + 1)
            _ = other.receive(TestBatch.body(1...2).span)
            #expect(status(other.finish()).status == 200)
        }
        requests = []
        #expect(core.budget.batchCount == 0)
    }

    /// The memory that a batch states, decoded or not, is what counts, not the bytes that have arrived.
    @Test func bodies_ofOneSender_leaveMemoryForOthers() throws {
        let core = try core {
            $0.maximumConnectionCount = 1_000
            $0.memoryByteCount = 64 << 20
        }
        let head = Self.head(["Content-Length": "\(4 << 20)"])
        var requests = (0..<10).map { _ in CollectorRequest(head, core: core) }
        #expect(core.budget.memoryUsage.current == 12 << 20)
        #expect(
            requests.map { status($0.finish()).status } == [400, 400, 400] + [Int](repeating: 503, count: 7))
        let other = CollectorRequest(Self.head(["Content-Length": "\(2 << 20)"], token: "def"), core: core)
        _ = other.receive(TestBatch.body(1...2).span)
        #expect(status(other.finish()).status == 200)
        requests = []
    }

    @Test func batches_thatAreMuchLargerDecoded_stayWithinTheBudget() async throws {
        let core = try core { $0.memoryByteCount = 16 << 20 }
        let long = String(repeating: "x", count: 100_000)
        let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for batch in 0..<60 {
                group.addTask {
                    try await onOwnThread {
                        let lines = (0..<10).map { number in
                            #"{"id":"\#(TestBatch.id(100 * batch + number))","x":"\#(long)"}"#
                        }
                        let text = ([TestBatch.header()] + lines).joined(separator: "\n")
                        let body = try TestBatch.gzip(Array(text.utf8))
                        while true {
                            let head = Self.head(
                                ["Content-Encoding": "gzip", "Content-Length": "\(body.count)"],
                                token: batch.isMultiple(of: 10) ? "def" : "abc")
                            let request = CollectorRequest(head, core: core)
                            _ = request.receive(body.span)
                            let answer = self.status(request.finish())
                            if answer.status != 503 { return (answer.status, answer.code) }
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 60 && answers.allSatisfy { $0.0 == 200 }, "\(answers)")
        #expect(core.status.accepted == 600)
        let usage = core.budget.memoryUsage
        #expect(usage.peak <= 16 << 20 && usage.current == 0 && core.budget.batchCount == 0)
    }

    /// Another sender has the memory, and does not return it.
    @Test func batch_thatWaitsTooLongForMemory_isBusy() throws {
        let core = try core { settings in
            #expect(settings.memoryWait == .seconds(10))
            settings.memoryByteCount = 4_000
            settings.memoryWait = .milliseconds(10)
        }
        let memory = try core.budget.decode("two", byteCount: 3_000)
        let request = CollectorRequest(Self.head(), core: core)
        _ = request.receive(TestBatch.body(1...2).span)
        #expect(status(request.finish()).status == 503)
        memory.release()
    }

    @Test func interruption_endsTheWaitForMemory() async throws {
        let core = try core { $0.memoryByteCount = 4_000 }
        let memory = try core.budget.decode("two", byteCount: 3_000)
        let request = Mutex(CollectorRequest(Self.head(), core: core))
        async let answer = onOwnThread {
            request.withLock { request in
                _ = request.receive(TestBatch.body(1...2).span)
                return status(request.finish()).status
            }
        }
        core.interrupt()
        #expect(try await answer == 503)
        memory.release()
    }
}

/// The size that an encoded body states, which is the limit of its decoding.
@Suite struct EncodedBodyTests {
    private static let text = [UInt8](repeating: 0x41, count: 1_000)

    @Test func statedSize_isTheDecodedSize() throws {
        for (bytes, encoding) in [
            (Self.text, .identity), (try TestBatch.gzip(Self.text), .gzip),
            (try TestBatch.zstd(Self.text), .zstd),
        ] as [([UInt8], RequestEncoding)] {
            #expect(EncodedBody(bytes, encoding, limit: 5_000).decodedByteCount == 1_000)
            #expect(try EncodedBody(bytes, encoding, limit: 1_000).decode() == Self.text)
            #expect(EncodedBody(bytes, encoding, limit: 999).decodedByteCount == 999)
            #expect(throws: (any Error).self) { try EncodedBody(bytes, encoding, limit: 999).decode() }
        }
        let twice = try TestBatch.zstd(Self.text) + TestBatch.zstd(Self.text)
        #expect(EncodedBody(twice, .zstd, limit: 5_000).decodedByteCount == 2_000)
        #expect(try EncodedBody(twice, .zstd, limit: 5_000).decode().count == 2_000)
    }

    /// A body that states a smaller size would get less memory than it takes.
    @Test func size_thatIsFalse_isInvalid() throws {
        var gzip = try TestBatch.gzip(Self.text)
        for size in [0, 1, 999, 1_001, 4_000] {
            for index in 0..<4 { gzip[gzip.count - 4 + index] = UInt8(size >> (8 * index) & 255) }
            #expect(EncodedBody(gzip, .gzip, limit: 5_000).decodedByteCount == size)
            #expect(throws: (any Error).self, "\(size)") {
                try EncodedBody(gzip, .gzip, limit: 5_000).decode()
            }
        }
        #expect(EncodedBody([], .gzip, limit: 50).decodedByteCount == 50)
        #expect(EncodedBody([], .zstd, limit: 50).decodedByteCount == 50)
        #expect(EncodedBody([1, 2, 3], .zstd, limit: 50).decodedByteCount == 50)
    }
}
