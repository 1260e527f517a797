import Foundation
import Testing

@testable import CollectorService

@Suite struct LedgerRowTests {
    private let now: Int64 = 1_800_000_000_000

    private func row(_ line: String) throws -> LedgerRow {
        let bytes = Array(line.utf8)
        return try LedgerRow(id: 1, bytes.span, 0..<bytes.count, now: now)
    }

    /// Returns the fields of a row as texts, by column name; a null is absent.
    private func fields(_ line: String) throws -> [String: String] {
        let row = try row(line)
        let columns = row.table.columns
        let names = ["id", "at", "day"] + columns.map(\.name) + ["detail"]
        let forms = [nil, .time, nil] + columns.map(\.form) + [.json]
        var binary = BinaryFields(row.bytes)
        #expect(binary.number(2) == names.count)
        var fields: [String: String] = [:]
        for (name, form) in zip(names, forms) {
            let length = binary.number(4)
            if length == -1 { continue }
            #expect(fields[name] == nil && length >= 0)
            fields[name] = name == "day" ? binary.date() : binary.text(form, length)
        }
        #expect(binary.isAtEnd)
        return fields
    }

    /// Staged records are inserted in this order; with different orders, two collectors would wait for each other.
    @Test func keys_areOrderedByDay_thenByID() {
        let keys = [(Int32.min, UInt128.max), (-1, 7), (0, 0), (0, .max), (1, 0)].map {
            LedgerRow.Key(day: $0.0, id: $0.1)
        }
        #expect(keys.reversed().sorted() == keys)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 && !($1 < $0) })
    }

    @Test func member_withAColumn_isStoredInIt_andOthersInDetail() throws {
        let fields = try fields(
            #"{"id":"x","pts":-5,"seconds":1.50,"first":1795176000,"checksum_ok":true,"owner":"a\tb\\c\n","#
                + #""problems":["a\"b","c"],"pid":257,"scheme":"urn:x","sequence":null}"#)
        #expect(
            fields == [
                "id": TestRecord.id(1), "at": "2026-11-20T12:00:00.000Z", "day": "2026-11-20", "pts": "-5",
                "seconds": "1.5", "first": "2026-11-20T12:00:00.000Z", "checksum_ok": "1",
                "owner": "a\tb\\c\n", "problems": "2: a\"b c",
                "detail": #"{"pid":257,"scheme":"urn:x"}"#,
            ])
    }

    @Test(arguments: [
        #""pts":"5""#, #""pts":1.5"#, #""pts":9223372036854775808"#, #""seconds":"1""#, #""first":-1"#,
        #""first":253402300800"#, #""first":9223372036854775807"#, #""received":"yesterday""#,
        #""received":"1969-12-31T23:59:59Z""#, #""owner":5"#, #""checksum_ok":"true""#, #""problems":[1]"#,
        #""problems":"a""#, #""renditions":[[]]"#,
    ])
    func value_thatDoesNotFitItsColumn_isKeptInDetail(member: String) throws {
        let fields = try fields("{\(member)}")
        #expect(fields["detail"] == "{\(member)}")
        #expect(fields["day"] == "-infinity" && fields["at"] == "2027-01-15T08:00:00.000Z")
    }

    /// An index cannot have it.
    @Test(arguments: ["channel", "session", "app_session"])
    func text_thatIsLongerThanAnEntryOfAnIndex_isKeptInDetail(key: String) throws {
        let longest = String(repeating: "x", count: 2_600)
        #expect(try fields(#"{"\#(key)":"\#(longest)"}"#)[key] == longest)
        let fields = try fields(#"{"\#(key)":"\#(longest)x"}"#)
        #expect(fields[key] == nil && fields["detail"] == #"{"\#(key)":"\#(longest)x"}"#)
    }

    /// The totals of a view would exceed their type.
    @Test func number_thatCannotBeAddedUp_isKeptInDetail() throws {
        func fields(_ watched: String, _ pauses: String) throws -> [String: String] {
            try self.fields(#"{"kind":"session","watched":\#(watched),"pause_count":\#(pauses)}"#)
        }
        let small = try fields("1e12", "-1000000000000")
        #expect(small["watched"] == "1000000000000.0" && small["pause_count"] == "-1000000000000")
        let large = try fields("1.1e12", "1000000000001")
        #expect(large["watched"] == nil && large["pause_count"] == nil)
        #expect(large["detail"] == #"{"watched":1.1e12,"pause_count":1000000000001}"#)
    }

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80]])
    func bytes_thatAreNotUTF8_areRefused(text: [UInt8]) {
        for (before, after) in [(#"{"owner":""#, #""}"#), (#"{"x":""#, #""}"#), (#"{""#, #"":1}"#)] {
            let bytes = Array(before.utf8) + text + Array(after.utf8)
            #expect(throws: LedgerRow.NotStorable.self) {
                try LedgerRow(id: 1, bytes.span, 0..<bytes.count, now: now)
            }
        }
    }

    @Test func array_thatIsEmpty_hasNoDimensions() throws {
        #expect(try fields(#"{"problems":[],"renditions":["a"]}"#)["problems"] == "0:")
    }

    @Test func member_thatOccursTwice_keepsBothValues() throws {
        let fields = try fields(#"{"pts":1,"pts":2,"pts":null,"channel":"a","channel":5}"#)
        #expect(fields["pts"] == "2" && fields["channel"] == nil)
        #expect(fields["detail"] == #"{"pts":1,"channel":"a","channel":5}"#)
    }

    @Test func object_withAColumn_isStoredVerbatim() throws {
        let fields = try fields(#"{"kind":"app","app":{"a" : "\t\\"},"market":5}"#)
        #expect(fields["app"] == #"{"a" : "\t\\"}"# && fields["detail"] == #"{"market":5}"#)
        #expect(try self.fields(#"{"kind":"app","app":"text"}"#)["detail"] == #"{"app":"text"}"#)
        #expect(throws: LedgerRow.NotStorable.self) { try row(#"{"kind":"app","app":{"a":"\u0000"}}"#) }
    }

    @Test(arguments: [
        (#"{"kind":"data"}"#, "tags"), (#"{"kind":null}"#, "tags"), ("{}", "tags"), (#"{"kind":7}"#, "tags"),
        (#"{"kind":"session"}"#, "sessions"), (#"{"kind":"app"}"#, "apps"), (#"{"kind":"asset"}"#, "assets"),
        (#"{"kind":"next"}"#, "other_records"),
    ])
    func kind_choosesTheTable(line: String, table: String) throws {
        #expect(try row(line).table.name == table)
    }

    @Test func day_comesFromTheRecord_neverFromTheClock() throws {
        let date = #""program_date_time":"2026-11-21T23:59:59.999Z""#
        let received = #""received":"2026-11-22T00:00:00.000Z""#
        #expect(try fields(#"{"first":1795176000,\#(date),\#(received)}"#)["day"] == "2026-11-20")
        #expect(try fields("{\(date),\(received)}")["day"] == "2026-11-21")
        #expect(try fields("{\(received)}")["day"] == "-infinity")
        #expect(try fields(#"{"kind":"session",\#(received)}"#)["day"] == "2026-11-22")
        #expect(try fields("{\(received)}")["at"] == "2026-11-22T00:00:00.000Z")
    }

    @Test(arguments: [
        #"{"owner":"a\u0000b"}"#, #"{"x":"\u0000"}"#, #"{"\u0000":1}"#, #"{"x":"\ud800"}"#,
        #"{"x":"\udc00"}"#,
        #"{"x":"\ud800\ud800\udc00"}"#, #"{"x":"\ud800a"}"#, #"{"problems":["\u0000"]}"#,
    ])
    func text_thatPostgreSQLCannotStore_isRefused(line: String) {
        #expect(throws: LedgerRow.NotStorable.self) { try row(line) }
    }

    /// PostgreSQL writes every digit of a number: eight bytes can become 131,072.
    @Test(
        arguments: [
            "1e131071", "-1E+131071", "1e309", "1.8e308", "-1e999", "1e-400", "0.5e-16383", "0e-16383",
            "0e131071",
            "0.0E-5000", "1e99999999999999999999", "1" + String(repeating: "0", count: 400),
            "0." + String(repeating: "0", count: 400) + "1",
        ],
        [
            #"{"x":%}"#, #"{"x":[1,{"e":[%]}]}"#, #"{"seconds":%}"#, #"{"pts":%}"#, #"{"first":%}"#,
            #"{"kind":"app","app":{"a":%}}"#, #"{"kind":"session","pauses":[ % ]}"#,
            #"{"kind":"next","x":%}"#,
        ])
    func number_thatADoubleCannotHold_isRefused(number: String, line: String) {
        #expect(throws: LedgerRow.NotStorable.self) {
            try row(line.replacingOccurrences(of: "%", with: number))
        }
    }

    @Test(
        arguments: [
            "0", "-0.0", "0e0", "0e9", "1e308", "1.7e308", "-1e-300", "5e-324", "1e+2",
            "12345678901234567890123",
            "0." + String(repeating: "0", count: 300) + "1", "0." + String(repeating: "0", count: 400),
            "1" + String(repeating: "0", count: 500) + "e-500",
        ])
    func number_thatADoubleHolds_isStored(number: String) throws {
        #expect(try fields(#"{"x":[\#(number)]}"#)["detail"] == #"{"x":[\#(number)]}"#)
    }

    /// Each of them is valid; together they would be larger than the limit of a value.
    @Test func numbers_thatGrowTogether_areRefused() throws {
        func line(_ count: Int) -> String {
            #"{"x":[\#(repeatElement("1e300", count: count).joined(separator: ","))]}"#
        }
        _ = try row(line(3_000))
        #expect(throws: LedgerRow.NotStorable.self) { try row(line(4_000)) }
        let member = repeatElement("1e-300", count: 2_000).joined(separator: ",")
        let app = #"{"kind":"app","app":[\#(member)],"x":[\#(member)]}"#
        #expect(throws: LedgerRow.NotStorable.self) { try row(app) }
    }

    /// Copies of a record are received at different times and places.
    @Test func hash_hasTheOwner_theKindAndTheChannel_andNothingElse() throws {
        func hash(_ more: String) throws -> Int64 {
            try row(#"{"id":"x","kind":"data","owner":"o","channel":"c"\#(more)}"#).hash
        }
        let usual = try hash("")
        for same in [
            #","received":"2026-11-20T12:00:00Z""#, #","source":"udp://1","segment":"1.ts","pts":5"#,
            #","first":1795176000,"media_sequence":3,"pid":257,"problems":["a"],"x":null"#,
            #","\u006fwner":"\u006f""#, #","x":{"owner":"p"}"#,
        ] {
            #expect(try hash(same) == usual, "\(same)")
        }
        #expect(try row(#"{"channel":"c","owner":"o","id":"x","kind":"data"}"#).hash == usual)
        let others = [
            #","owner":"p""#, #","kind":"info""#, #","kind":"session""#, #","channel":"d""#, #","owner":"""#,
            #","owner":"oc","channel":"""#, #","owner":"c","channel":"o""#,
        ]
        #expect(try Set(others.map(hash) + [usual]).count == others.count + 1)
        // An absent text is not empty, and the lengths keep the texts apart.
        let parts = [
            "{}", #"{"owner":""}"#, #"{"kind":""}"#, #"{"owner":"a","kind":"b"}"#,
            #"{"owner":"ab","kind":""}"#,
        ]
        #expect(try Set(parts.map { try row($0).hash }).count == parts.count)
    }

    @Test(arguments: [#"{"x":"1e999","1e999":"\"1e999"}"#, #"{"kind":"next","x":["\\",1,"e5e999"]}"#])
    func text_thatLooksLikeANumber_isStored(line: String) throws {
        _ = try row(line)
    }

    @Test(arguments: [#"{"x":"\\u0000"}"#, #"{"x":"\ud83d\ude00\n"}"#, #"{"owner":"\ud800"}"#])
    func text_thatOnlyLooksUnstorable_isStored(line: String) throws {
        _ = try row(line)
    }
}

/// A reader of the binary format of COPY.
private struct BinaryFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads a signed number of 1 to 8 bytes.
    mutating func number(_ count: Int) -> Int {
        let shift = 64 - 8 * count
        return (bytes(count).reduce(0) { $0 << 8 | Int($1) } << shift) >> shift
    }

    /// Reads a date, which is a number of days.
    mutating func date() -> String {
        let days = number(4)
        if days == Int(Int32.min) { return "-infinity" }
        return String(Self.text(milliseconds: 86_400_000 * days).prefix(10))
    }

    mutating func text(_ form: RecordTable.Form?, _ length: Int) -> String {
        switch form {
        case nil:
            return bytes(length).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        case .time, .unixSeconds: return Self.text(milliseconds: number(length) / 1_000)
        case .integer, .addedInteger, .boolean: return "\(number(length))"
        case .number, .addedNumber: return "\(Double(bitPattern: UInt64(bitPattern: Int64(number(length)))))"
        case .text, .indexedText: return String(decoding: bytes(length), as: UTF8.self)
        case .json:
            #expect(number(1) == 1)
            return String(decoding: bytes(length - 1), as: UTF8.self)
        case .texts:
            let dimensions = number(4)
            #expect(number(4) == 0 && number(4) == 25)
            if dimensions == 0 { return "0:" }
            let count = number(4)
            #expect(number(4) == 1)
            let texts = (0..<count).map { _ in String(decoding: bytes(number(4)), as: UTF8.self) }
            return "\(count): " + texts.joined(separator: " ")
        }
    }

    /// Returns a time after 2000-01-01 as text.
    private static func text(milliseconds: Int) -> String {
        Date(timeIntervalSince1970: 946_684_800 + Double(milliseconds) / 1_000).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
