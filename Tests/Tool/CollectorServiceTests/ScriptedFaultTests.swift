import HTTPTransfer
import TestSupport
import Testing
import TextForms

@testable import CollectorService

@Suite(.timeLimit(.minutes(30))) struct ScriptedFaultTests {
    private let folder: TemporaryFolder
    private let client: HTTPClient

    init() throws {
        folder = try TemporaryFolder()
        client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
    }

    private func collector(_ faults: String...) throws -> Collector {
        var settings = CollectorSettings(folder: folder.path)
        settings.faults = try faults.map { try #require(ScriptedFault($0)) }
        return try Collector(settings: settings)
    }

    private func send(_ collector: Collector, _ numbers: some Sequence<Int>) async throws -> HTTPResponse {
        try await client.send(TestBatch.request(collector, TestBatch.body(numbers)))
    }

    @Test(arguments: [
        ("lost-answer", ScriptedFault(.lostAnswer)), ("garbage@first=2", ScriptedFault(.garbage, .first(2))),
        ("forgetful", ScriptedFault(.forgetful)),
        ("no-zstd@every=3", ScriptedFault(.refusedEncoding("zstd"), .every(3))),
        ("no-gzip", ScriptedFault(.refusedEncoding("gzip"))),
        ("status=503", ScriptedFault(.status(503, retryAfter: nil))),
        ("status=429,retry-after=7", ScriptedFault(.status(429, retryAfter: .seconds(7)))),
        ("status=503,retry-date=9", ScriptedFault(.status(503, retryAfter: .date(secondsFromNow: 9)))),
        ("too-large=10", ScriptedFault(.tooLarge(tagCount: 10))),
        ("slow=1000", ScriptedFault(.slow(bytesPerSecond: 1_000))),
        ("reset=0", ScriptedFault(.reset(afterByteCount: 0))),
        ("portal=302", ScriptedFault(.portal(status: 302))),
        ("poison=3", ScriptedFault(.poison(.ordinal(3), answer: .rejected))),
        ("poison=3,answer=422", ScriptedFault(.poison(.ordinal(3), answer: .status(422)))),
        (
            "poison=00112233445566778899AABBCCDDEEFF,answer=400",
            ScriptedFault(.poison(.id("00112233445566778899aabbccddeeff"), answer: .status(400)))
        ),
    ])
    func text_ofEachFault_isParsed(text: String, fault: ScriptedFault) {
        #expect(ScriptedFault(text) == fault)
    }

    @Test(arguments: [
        "", "nonsense", "lost-answer=1", "garbage,x", "status", "status=", "status=99", "status=600",
        "status=x",
        "status=503,retry-after", "status=503,retry-after=-1", "status=503,later=1", "too-large",
        "too-large=-1", "slow=0",
        "portal=404", "portal", "poison=0", "poison=x", "poison=1,answer=500", "poison=1,x=400", "garbage@",
        "garbage@first",
        "garbage@first=0", "garbage@last=1", "status=503,a=1,b=2", "reset=-1", "no-br",
    ])
    func text_thatIsNotAFault_isNil(text: String) {
        #expect(ScriptedFault(text) == nil)
    }

    @Test func selection_ofEachKind_includesItsRequests() {
        #expect(
            (1...6).map { ScriptedFault.Selection.always.includes($0) } == [
                true, true, true, true, true, true,
            ])
        #expect(
            (1...6).map { ScriptedFault.Selection.first(2).includes($0) } == [
                true, true, false, false, false, false,
            ])
        #expect(
            (1...6).map { ScriptedFault.Selection.every(3).includes($0) } == [
                false, false, true, false, false, true,
            ])
    }

    @Test func lostAnswer_storesTheTagsAndInterruptsTheConnection() async throws {
        let collector = try collector("lost-answer@first=1")
        do throws(HTTPTransferError) {
            _ = try await client.send(TestBatch.request(collector, TestBatch.body(1...3)))
            Issue.record("there is an answer")
        } catch {
            #expect(error.kind == .interrupted)
        }
        #expect(collector.status.accepted == 3)
        #expect(try await send(collector, 1...3).text.contains(#""duplicate":3"#))
    }

    @Test func status_isSentWithItsRetryAfter() async throws {
        let collector = try collector("status=503,retry-after=7@first=1")
        let answer = try await send(collector, 1...3)
        #expect(answer.status == 503 && answer.headers.retryAfter == .seconds(7))
        #expect(collector.status.accepted == 0)
        #expect(try await send(collector, 1...3).status == 200)
    }

    @Test func retryDate_isAnHTTPDate() async throws {
        let answer = try await send(try collector("status=429,retry-date=60"), 1...3)
        let date = try #require(answer.headers.date)
        guard case .date(let retry) = answer.headers.retryAfter else {
            Issue.record("no date")
            return
        }
        #expect((59...62).contains(retry - date))
    }

    @Test func date_isFormattedPerRFC9110() {
        #expect(HTTPDate.text(unixSeconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(unixSeconds: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(unixSeconds: 1_709_164_800) == "Thu, 29 Feb 2024 00:00:00 GMT")
    }

    @Test func poison_atAnyPosition_isRefused() async throws {
        let collector = try collector("poison=2,answer=422")
        #expect(try await send(collector, [10, 20, 30]).status == 422)
        #expect(try await send(collector, [10]).status == 200)
        #expect(try await send(collector, [20]).status == 422)
        #expect(try await send(collector, [30, 40]).status == 200)
        #expect(collector.status.accepted == 3)
    }

    @Test func poison_thatIsRejected_leavesOtherTagsAccepted() async throws {
        let id = TestBatch.id(20)
        let collector = try collector("poison=\(id)")
        let answer = try await send(collector, [10, 20, 30])
        #expect(
            answer.text == #"{"accepted":2,"duplicate":0,"rejected":[{"id":"\#(id)","code":"bad_tag"}]}"#)
    }

    @Test func tooLarge_countsTags() async throws {
        let collector = try collector("too-large=3")
        #expect(try await send(collector, 1...4).status == 413)
        #expect(try await send(collector, 1...3).status == 200)
    }

    @Test func reset_interruptsTheRequestBody() async throws {
        let collector = try collector("reset=100@first=1")
        do throws(HTTPTransferError) {
            _ = try await client.send(TestBatch.request(collector, TestBatch.body(1...3_000)))
            Issue.record("there is an answer")
        } catch {
            #expect(error.kind == .interrupted)
        }
        #expect(collector.status.accepted == 0)
        #expect(try await send(collector, 1...3).status == 200)
    }

    @Test func slow_readsSlowlyAndAcceptsTheBatch() async throws {
        let collector = try collector("slow=20000")
        let body = TestBatch.body(1...60)
        let start = ContinuousClock.now
        #expect(try await send(collector, 1...60).status == 200)
        #expect(ContinuousClock.now - start > .milliseconds(body.count / 20 / 2))
    }

    @Test(arguments: [200, 400, 302])
    func portal_answersWithAnHTMLPage(status: Int) async throws {
        let answer = try await send(try collector("portal=\(status)"), 1...3)
        #expect(answer.status == status && answer.headers["Content-Type"] == "text/html")
        #expect(answer.text.contains("<html>"))
    }

    @Test func forgetful_storesResentTagsAgain() async throws {
        let collector = try collector("forgetful")
        for _ in 0..<2 { #expect(try await send(collector, 1...3).text.contains(#""accepted":3"#)) }
        #expect(try folder.lines().count == 6)
    }

    @Test func refusedEncoding_isAnsweredWith415() async throws {
        let collector = try collector("no-zstd")
        let zstd = try TestBatch.zstd(TestBatch.body(1...3))
        #expect(try await client.send(TestBatch.request(collector, zstd, encoding: "zstd")).status == 415)
        #expect(try await send(collector, 1...3).status == 200)
    }
}
