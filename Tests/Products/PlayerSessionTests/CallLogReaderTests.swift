import Testing

@testable import PlayerSession

@Suite struct CallLogReaderTests {
    private static func lines(of text: String, chunk: Int = .max) -> [CallLogLine] {
        var reader = CallLogReader()
        var lines: [CallLogLine] = []
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = chunk < bytes.count - start ? start + chunk : bytes.count
            reader.read(Array(bytes[start..<end])) { lines.append($0) }
            start = end
        }
        reader.finish { lines.append($0) }
        return lines
    }

    private static let log = """
        # a comment
        {"at":1.5,"call":"INIT","arguments":[{"appid":"T1"}]}

        {"at":"2","call":"stop"}
        not JSON
        {"at":null,"call":"sendID3","arguments":"one","instance":"b"}
        {"call":7}
          # another
        [1]
        {"at":9,"call":"end","arguments":null}
        """

    /// The lines of a log do not depend on the chunks in which it arrives.
    @Test(arguments: [1, 2, 3, 7, 64, .max]) func log_inChunksOfAnySize_hasTheSameLines(chunk: Int) {
        let lines = Self.lines(of: Self.log, chunk: chunk)
        #expect(lines.map(\.number) == [2, 4, 5, 6, 7, 9, 10])
        #expect(lines.map(\.at) == [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 9])
        #expect(
            lines.map(\.content) == [
                .call(name: "INIT", arguments: [["appid": "T1"]]), .call(name: "stop", arguments: []),
                .unreadable(reason: "it is not JSON at column 2"),
                .call(name: "sendID3", arguments: ["one"]),
                .unreadable(reason: "its 'call' is not a text"),
                .unreadable(reason: "it is JSON, but not an object"),
                .call(name: "end", arguments: []),
            ])
        #expect(lines.map(\.instance) == ["", "", "", "b", "", "", ""])
    }

    /// logcat, a time, a list with an element in each line, and the whole list in one line.
    @Test(arguments: [
        "11-20 12:00:00.123  4567  4567 D Player: CALL", "D/Player( 4567): CALL", "  CALL\r", "CALL,",
        "2026-11-20T12:00:00.123Z [player] CALL trailing", "[CALL]", "data: CALL",
    ])
    func call_withTextAroundIt_isRead(line: String) {
        let call = #"{"at":2,"call":"sendID3","arguments":["a{b}c"]}"#
        let content = Self.lines(of: "[\n" + line.replacing("CALL", with: call) + "\n]\n").map(\.content)
        #expect(content == [.call(name: "sendID3", arguments: ["a{b}c"])])
    }

    @Test func objectWithoutACall_inOtherText_isUnreadable() {
        let content = Self.lines(of: "D/Player: {\"at\":1}\nD/Player: } {\n").map(\.content)
        let unreadable = CallLogLine.Content.unreadable(reason: "it is not JSON at column 1")
        #expect(content == [unreadable, unreadable])
    }

    @Test func keys_ofALine_matchInAnyCaseAndSpelling_andTheLastOneCounts() {
        let lines = Self.lines(
            of: #"""
                {"AT":2,"\u0061t":3,"Call":"play","call":"stop","x":{"call":"end"},"Arguments":[1],"OPTED_OUT":true}
                {"call":"stop","at":4,"at":null,"instance":7,"arguments":[1],"arguments":null}
                {"call":"stop","call":null,"at":-0}
                """#)
        #expect(lines.map(\.at) == [3, 3, 0])
        #expect(
            lines.map(\.content) == [
                .call(name: "stop", arguments: [1]), .call(name: "stop", arguments: []),
                .unreadable(reason: "it has no 'call'"),
            ])
        #expect(lines.map(\.instance) == ["", "7", ""])
        #expect(lines.map(\.isOptedOut) == [true, nil, nil])
    }

    @Test func line_overMaximumLength_isUnreadable_andTheNextIsRead() {
        let long =
            "{\"call\":\"sendID3\",\"arguments\":[\""
            + String(repeating: "x", count: CallLogReader.maximumLineByteCount) + "\"]}"
        let lines = Self.lines(of: "\(long)\n{\"call\":\"stop\"}", chunk: 65_536)
        #expect(lines.map(\.number) == [1, 2])
        let unreadable = CallLogLine.Content.unreadable(reason: "it has more than 4 MiB")
        #expect(lines.map(\.content) == [unreadable, .call(name: "stop", arguments: [])])
    }

    @Test(arguments: [
        (#"{"call":"stop","at":}"#, "it is not JSON at column 21"),
        (#"  {"call" "stop"}"#, "it is not JSON at column 11"), (#"{"call":"st"#, "its JSON is incomplete"),
        ("{\"call\":\r", "its JSON is incomplete"), ("7", "it is JSON, but not an object"),
        (String(repeating: "[", count: 100), "its JSON is nested too deep at column 33"),
        (#"{"at":1}"#, "it has no 'call'"), (#"{"kind":"app"}"#, "it has no 'call'"),
    ])
    func unreadableLine_hasItsReason(line: String, reason: String) {
        #expect(Self.lines(of: line, chunk: 7).map(\.content) == [.unreadable(reason: reason)])
    }

    @Test(arguments: [
        (#"{"at":1}"#, "it has no 'call', and no 'kind' of a record"),
        (#"{"kind":"app"}"#, "it is a record of the kind app without 'app'"),
        (#"{"kind":"asset"}"#, "it is a record of the kind asset without 'metadata'"),
        (#"{"kind":"data"}"#, "it has no 'call', and players have no records of the kind 'data'"),
    ])
    func unreadableRecord_hasItsReason(line: String, reason: String) {
        var lines: [CallLogLine] = []
        var reader = CallLogReader(acceptsRecords: true)
        reader.read(Array(line.utf8)) { lines.append($0) }
        reader.finish { lines.append($0) }
        #expect(lines.map(\.content) == [.unreadable(reason: reason)])
    }

    @Test func callOfOneSessionTooMany_hasItsReason() async {
        let lines = (0...CallEvaluation.maximumSessionCount).map {
            CallLogLine(number: $0, at: 0, instance: "\($0)", content: .call(name: "stop", arguments: []))
        }
        var evaluation = CallEvaluation()
        let problems = lines.map { $0.problem(evaluation.evaluate($0).result.outcome) }
        #expect(problems.compactMap(\.self) == ["it belongs to another session than the first 1000"])
        #expect(problems.last ?? nil != nil)
    }
}
