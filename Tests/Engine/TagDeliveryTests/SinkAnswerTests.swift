import HTTPTransfer
import TagDelivery
import TagStore
import Testing

@Suite struct SinkAnswerTests {
    private static let ids = [TagID(high: 1, low: 1), TagID(high: 2, low: 2), TagID(high: 3, low: 3)]
    private static let receipt = #"{"accepted":2,"duplicate":1,"rejected":[]}"#
    private static let errorBody = #"{"error":{"code":"bad_tag","message":"no"}}"#

    private func answer(
        _ status: Int, _ body: String, _ fields: [(String, String)] = [], isTruncated: Bool = false,
        now: Int64 = 0
    ) -> SinkAnswer {
        var headers = HTTPHeaders()
        for (name, value) in fields { headers.append(name, value) }
        let head = HTTPResponseHead(status: status, headers: headers, url: "http://c/", remoteAddress: nil)
        let response = HTTPResponse(head: head, body: Array(body.utf8), isTruncated: isTruncated)
        return SinkAnswer(response, to: Self.ids, now: now)
    }

    /// The answer table of the contract, for every status and each kind of body.
    @Test(arguments: [receipt, errorBody, "<html>Please log in</html>", "", "{}", receipt + "x"])
    func everyStatus_withEveryBody_matchesAnswerTable(body: String) throws {
        for status in 100...999 {
            let answer = answer(status, body)
            switch status {
            case 200..<300 where body == Self.receipt:
                try #require(answer == .received(rejected: [], duplicateCount: 1))
            case 200..<300, 408, 409, 425, 429, 500..<600:
                guard case .retry(_, nil) = answer else {
                    Issue.record("\(status) is \(answer)")
                    return
                }
            case 413: try #require(answer == .tooLarge)
            case 415: try #require(answer == .unsupportedEncoding)
            case 400 where body == Self.errorBody, 422 where body == Self.errorBody:
                try #require(answer == .refused(code: "bad_tag"))
            default:
                guard case .hold(_, nil) = answer else {
                    Issue.record("\(status) is \(answer)")
                    return
                }
            }
        }
    }

    /// An error of a gateway, a proxy or another service is not a collector's answer about a tag.
    @Test(arguments: [
        #"{"error":{"code":"BadRequest","message":"no"}}"#, #"{"error":{"message":"no"}}"#,
        #"{"error":{"code":400,"message":"bad_tag"}}"#, #"{"error":{}}"#, #"{"error":"bad_tag"}"#,
        #"{"code":"bad_tag"}"#, #"{"error":{"code":"Bad_Tag"}}"#,
    ])
    func errorBody_withUnknownCode_holds(body: String) {
        for status in [400, 422] {
            guard case .hold(let reason, nil) = answer(status, body) else {
                Issue.record("\(status) \(body) was taken for a collector's")
                continue
            }
            #expect(reason.contains("\(status)"))
        }
    }

    @Test(arguments: CollectorReply.codes.sorted())
    func errorBody_withCollectorCode_refuses(code: String) {
        for status in [400, 422] {
            #expect(answer(status, #"{"error":{"code":"\#(code)","message":"no"}}"#) == .refused(code: code))
        }
    }

    @Test(arguments: [
        #"{"accepted":3,"duplicate":1,"rejected":[]}"#, #"{"accepted":2,"duplicate":0,"rejected":[]}"#,
        #"{"accepted":3}}"#, #"{"accepted":-1,"duplicate":4,"rejected":[]}"#,
        #"{"duplicate":3,"rejected":[]}"#,
        #"{"accepted":"3","duplicate":0,"rejected":[]}"#, #"{"accepted":3.0,"duplicate":0,"rejected":[]}"#,
        #"{"accepted":2,"duplicate":0,"rejected":[{"id":"00000000000000090000000000000009","code":"x"}]}"#,
        #"{"accepted":2,"duplicate":0,"rejected":[{"code":"x"}]}"#,
        #"{"accepted":2,"duplicate":0,"rejected":["x"]}"#,
        #"{"accepted":3,"duplicate":0,"rejected":{}}"#,
        #"{"accepted":3,"accepted":3,"duplicate":0,"rejected":[]}"#,
        #"{"accepted":9223372036854775807,"duplicate":9223372036854775807,"rejected":[]}"#,
        #"{"accepted":1,"duplicate":0,"rejected":[{"id":"00000000000000010000000000000001"},{"id":"00000000000000010000000000000001"}]}"#,
        #"{"accepted":2,"duplicate":0,"rejected":[{"id":"00000000000000010000000000000001"},{"id":"00000000000000010000000000000001"}]}"#,
        #"[{"accepted":3,"duplicate":0,"rejected":[]}]"#, "OK", "<html></html>", "{\"accepted\":3",
    ])
    func receipt_notAccountingForTheTags_isRetried(body: String) {
        guard case .retry = answer(200, body) else {
            Issue.record("\(body) was believed")
            return
        }
    }

    @Test func receipt_truncated_isRetried() {
        guard case .retry = answer(200, Self.receipt, isTruncated: true) else {
            Issue.record("half an answer was believed")
            return
        }
    }

    @Test func receipt_withRejections_listsRejectedTags() {
        let body =
            #"{"accepted":2,"duplicate":0,"rejected":[{"id":"00000000000000020000000000000002","code":"bad"}],"x":[{}]}"#
        #expect(answer(200, body) == .received(rejected: [.init(id: Self.ids[1], code: "bad")]))
        #expect(answer(200, #"{"accepted":3}"#) == .received(rejected: []))
    }

    @Test func retryAfter_inSecondsOrAsDate_isParsedAsDuration() {
        for (fields, wait) in [
            ([("Retry-After", "7")], 7), ([("Retry-After", "0")], 0), ([("Retry-After", "x")], nil),
            ([("Retry-After", "9223372036854775807")], Int64.max),
            ([("Retry-After", "9223372036854775808")], Int64.max),
            (
                [
                    ("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT"),
                    ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ], 60
            ),
            ([("Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT")], 50),
            ([("Retry-After", "Sun, 06 Nov 1994 08:40:37 GMT")], 0),
        ] as [([(String, String)], Int64?)] {
            for status in [503, 429, 403] {
                switch answer(status, "", fields, now: 784_111_787_000) {
                case .retry(_, let asked), .hold(_, let asked):
                    #expect(asked == wait.map { .seconds($0) }, "\(fields)")
                default: Issue.record("\(status)")
                }
            }
        }
    }

    @Test(arguments: HTTPTransferError.Kind.allCases)
    func transferError_ofEveryKind_isRetriedHeldOrAbandoned(kind: HTTPTransferError.Kind) {
        let answer = SinkAnswer(HTTPTransferError(kind, target: "POST http://c/"))
        switch kind {
        case .cancelled: #expect(answer == .abandoned)
        case .tlsFailed, .invalidRequest, .addressRefused, .redirectRefused:
            guard case .hold = answer else {
                Issue.record("\(kind) is \(answer)")
                return
            }
        default:
            guard case .retry = answer else {
                Issue.record("\(kind) is \(answer)")
                return
            }
        }
    }

    @Test func reply_truncatedAnywhere_isNil() {
        let id = "00000000000000020000000000000002"
        for text in [
            #"{"accepted":2,"duplicate":0,"rejected":[{"id":"\#(id)","code":"b\u00e4d"}]}"#, Self.errorBody,
        ] {
            let bytes = Array(text.utf8)
            #expect(CollectorReply(bytes.span) != nil)
            for count in 0..<bytes.count {
                #expect(CollectorReply(Array(bytes[..<count]).span) == nil, "cut to \(count)")
            }
        }
    }

    @Test func replyTexts_areLimitedAndFreeOfControlCharacters() {
        let long = String(repeating: "x", count: 10_000)
        let body = Array(#"{"error":{"code":"\#(long)","message":"\u001b[2J\u0007"}}"#.utf8)
        guard case .error(let code, let message) = CollectorReply(body.span) else {
            Issue.record("no error body")
            return
        }
        #expect(code.count == 200)
        #expect(!message.unicodeScalars.contains { $0.value < 0x20 })
    }
}
