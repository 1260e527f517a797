import Foundation
import NielsenID3
import Testing
import TextForms

@testable import TagRecord

/// The records of a player other than its tags, as the buffer stores them and a collector receives them.
@Suite struct PlayerRecordTests {
    private static let content = #"{"first_playhead":3.0,"watched":1788.25}"#

    private static func records() -> [PlayerRecord] {
        [nil, "00112233445566778899aabbccddeeff"].flatMap { store in
            PlayerRecord.Kind.allCases.flatMap { kind in
                [
                    PlayerRecord(
                        kind,
                        at: SessionPlace(
                            id: "3f0c", order: 300, appSession: "a0", assetPlay: "b1",
                            channel: "Harbour \u{1F6A2}", asset: "A.1", assetType: "content",
                            playhead: 1_800.5,
                            optedOutStore: store), content: Array(content.utf8)),
                    PlayerRecord(
                        kind, at: SessionPlace(id: "", order: 0, optedOutStore: store),
                        content: Array("{}".utf8)),
                ]
            }
        }
    }

    private static func line(_ record: PlayerRecord) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        StoredRecord.player(record).writeWireMembers(id: "00", received: 0, to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func storedBody_isDecodedUnchanged_butInvalidWhenTruncated() throws {
        for record in Self.records() {
            let body = record.storedBody
            #expect(try StoredRecord.decode(body.span) == .player(record))
            #expect(try StoredRecord.decode(body.span).optedOutStore == record.place.optedOutStore)
            for length in 0..<body.count {
                #expect(throws: StoredBody.DecodingError.self) {
                    try StoredRecord.decode(Array(body[..<length]).span)
                }
            }
            #expect(throws: StoredBody.DecodingError.unknownVersion(4)) { try StoredBody.decode(body.span) }
        }
    }

    @Test func storedBody_ofATag_decodesToThatTag() throws {
        for record in SampleOwners.records() {
            let body = StoredRecord.tag(record).storedBody
            #expect(body == StoredBody.encode(record))
            var stored = record
            stored.origin.place = record.origin.place.printable
            #expect(try StoredRecord.decode(body.span) == .tag(stored))
        }
    }

    @Test(arguments: ["", "{", "}", "[]", " {}", "{} ", #"{"a":}"#, "null", "{}{}", "{\u{0}}"])
    func storedBody_withInvalidContent_isRejected(content: String) {
        let record = PlayerRecord(
            .asset, at: SessionPlace(id: "3f0c", order: 0), content: Array(content.utf8))
        #expect(throws: StoredBody.DecodingError.self) { try StoredRecord.decode(record.storedBody.span) }
    }

    @Test func storedBody_ofAnUnknownKind_isRejected() {
        var body = Self.records()[0].storedBody
        body[1] = 9
        #expect(throws: StoredBody.DecodingError.invalid(offset: 1)) { try StoredRecord.decode(body.span) }
    }

    /// A body of version 3, which existing buffers may still contain.
    @Test func storedBody_ofVersion3_decodesToASessionRecord() throws {
        let place = SessionPlace(id: "3f0c", order: 7, channel: "One", playhead: 4)
        var bytes = CompactWriter()
        bytes.byte(3)
        bytes.text("")
        place.encode(to: &bytes)
        for number in [3, 1_788.25] { bytes.fixed(number.bitPattern) }
        let record = PlayerRecord(.session, at: place, content: Array(Self.content.utf8))
        #expect(try StoredRecord.decode(bytes.bytes.span) == .player(record))
        for length in 0..<bytes.bytes.count {
            #expect(throws: StoredBody.DecodingError.self) {
                try StoredRecord.decode(Array(bytes.bytes[..<length]).span)
            }
        }
    }

    @Test func wireObject_containsIDsKindAndContent() throws {
        let line =
            #"{"id":"00","received":"1970-01-01T00:00:00.000Z","session":"3f0c","order":300,"#
            + "\"app_session\":\"a0\",\"asset_play\":\"b1\",\"channel\":\"Harbour \u{1F6A2}\","
            + #""asset":"A.1","type":"content","playhead":1800.5,"#
        let records = Self.records()
        #expect(
            Self.line(records[4]) == line + #""kind":"session","first_playhead":3.0,"watched":1788.25}"#)
        #expect(
            Self.line(records[12])
                == line + #""opted_out":true,"kind":"session","first_playhead":3.0,"watched":1788.25}"#)
        #expect(Self.line(records[1]) == #"{"id":"00","received":"1970-01-01T00:00:00.000Z","kind":"app"}"#)
    }

    @Test func tableCells_nameTheAppOrTheAsset() {
        let app = PlayerRecord(
            .app, at: SessionPlace(id: "", order: 0), content: Array(#"{"app":{"appid":"T1"}}"#.utf8))
        #expect(app.textCells == ["-", "app", "-", "-", "-", "-", "-", "T1", "player", "-"])
        let playback = Self.records()[4]
        #expect(playback.textCells[0] == "1800.500" && playback.textCells[1] == "session")
        #expect(playback.textCells[7] == "A.1")
    }
}
