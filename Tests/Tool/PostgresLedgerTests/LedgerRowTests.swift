import Foundation
import Testing

@testable import PostgresLedger

@Suite struct LedgerRowTests {
    private let now: Int64 = 1_800_000_000_000

    private func row(_ line: String) throws -> LedgerRow {
        let bytes = Array(line.utf8)
        return try LedgerRow(id: TestRecord.id(1), bytes.span, 0..<bytes.count, now: now)
    }

    /// The fields of a row by the names of their columns; a null is absent.
    private func fields(_ line: String) throws -> [String: String] {
        let row = try row(line)
        let texts = String(decoding: row.bytes.dropLast(), as: UTF8.self).components(separatedBy: "\t")
        let names = ["id", "at", "day"] + row.table.columns.map(\.name) + ["detail"]
        #expect(texts.count == names.count)
        return Dictionary(uniqueKeysWithValues: zip(names, texts).filter { $1 != "\\N" })
    }

    @Test func member_withAColumn_isThere_andAnyOtherInDetail() throws {
        let fields = try fields(
            #"{"id":"x","pts":-5,"seconds":1.50,"first":1795176000,"checksum_ok":true,"owner":"a\tb\\c\n","#
                + #""problems":["a\"b","c"],"pid":257,"scheme":"urn:x","sequence":null}"#)
        #expect(
            fields == [
                "id": TestRecord.id(1), "at": "2026-11-20T12:00:00.000Z", "day": "2026-11-20", "pts": "-5",
                "seconds": "1.5", "first": "2026-11-20T12:00:00.000Z", "checksum_ok": "t",
                "owner": #"a\tb\\c\n"#, "problems": #"{"a\\"b","c"}"#,
                "detail": #"{"pid":257,"scheme":"urn:x"}"#,
            ])
    }

    @Test(arguments: [
        #""pts":"5""#, #""pts":1.5"#, #""pts":9223372036854775808"#, #""seconds":1e999"#, #""first":-1"#,
        #""first":253402300800"#, #""first":9223372036854775807"#, #""received":"yesterday""#,
        #""received":"1969-12-31T23:59:59Z""#, #""owner":5"#, #""checksum_ok":"true""#, #""problems":[1]"#,
        #""problems":"a""#, #""renditions":[[]]"#,
    ])
    func value_thatDoesNotFitItsColumn_isKeptInDetail(member: String) throws {
        let fields = try fields("{\(member)}")
        #expect(fields["detail"] == "{\(member)}")
        #expect(fields["day"] == "-infinity" && fields["at"] == "2027-01-15T08:00:00.000Z")
    }

    @Test func member_thatIsThereTwice_keepsBothValues() throws {
        let fields = try fields(#"{"pts":1,"pts":2,"pts":null,"channel":"a","channel":5}"#)
        #expect(fields["pts"] == "2" && fields["channel"] == nil)
        #expect(fields["detail"] == #"{"pts":1,"channel":"a","channel":5}"#)
    }

    @Test func object_thatHasAColumn_isThereAsItIs() throws {
        let fields = try fields(#"{"kind":"app","app":{"a" : "\t\\"},"market":5}"#)
        #expect(fields["app"] == #"{"a" : "\\t\\\\"}"# && fields["detail"] == #"{"market":5}"#)
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

    @Test func day_comesFromTheRecord_neverFromNow() throws {
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

    @Test(arguments: [#"{"x":"\\u0000"}"#, #"{"x":"\ud83d\ude00\n"}"#, #"{"owner":"\ud800"}"#])
    func text_thatOnlyLooksLikeThat_isStored(line: String) throws {
        _ = try row(line)
    }
}
