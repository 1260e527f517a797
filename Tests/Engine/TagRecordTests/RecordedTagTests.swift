import Foundation
import ID3v2
import NielsenID3
import Testing
import TextForms

@testable import TagRecord

@Suite struct RecordedTagTests {
    private static func line(_ record: TagOccurrence) -> String {
        var writer = JSONWriter()
        record.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func jsonLine_ofContractExample_matchesContract() throws {
        let record = try #require(SampleOwners.example())
        let expected =
            #"{"source":"media/demo/index.m3u8","rendition":"v360/index.m3u8","segment":"seg00003.ts","#
            + #""media_sequence":3,"program_date_time":"2026-11-20T12:00:19.200Z","pts":1728000,"seconds":19.2,"#
            + #""carriage":"mpegts","pid":258,"owner":""# + SampleOwners.data
            + #"","kind":"data","sequence":52,"first":1448385645,"last":1448385654,"#
            + #""pc_cid":"065H2g6E7ZyQ5UdmMAbbpg==","fd_cid":"_EMc37zfVgq_8KB7baUYfg==","pc_offset":33648,"#
            + #""fd_offset":22847,"breakout":0,"checksum_ok":true,"problems":[]}"#
        #expect(Self.line(record) == expected)
    }

    @Test func jsonLine_ofEachRecord_hasItsApplicableKeys() throws {
        let optional: Set<TagKey> = [.rendition, .segment, .mediaSequence, .programDateTime, .timescale]
        for record in SampleOwners.records() {
            let data = Data(Self.line(record).utf8)
            let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            for key in TagKey.allCases {
                let isThere = object[key.rawValue] != nil
                switch key {
                case .pid: #expect(isThere == (record.carriage.name == "mpegts"))
                case .scheme, .value, .eventMessageVersion, .eventMessageID:
                    #expect(isThere == (record.carriage.name == "emsg"))
                case .rendition: #expect(isThere == !record.origin.place.renditions.isEmpty)
                case .segment: #expect(isThere == (record.origin.place.segment != nil))
                case _ where optional.contains(key): break
                default: #expect(isThere, "\(key)")
                }
            }
            #expect(object.count <= TagKey.allCases.count)
            #expect(object["owner"] as? String == String(decoding: record.tag.ownerIdentifier, as: UTF8.self))
        }
    }

    @Test func jsonLine_ofEachRecord_equalsItsFieldsWrittenSeparately() throws {
        for record in SampleOwners.records() {
            var writer = JSONWriter()
            writer.beginObject()
            for key in TagKey.allCases { writer.write(record.field(key), for: key) }
            writer.endObject()
            #expect(String(decoding: writer.bytes, as: UTF8.self) == Self.line(record))
        }
    }

    @Test func csvLine_ofEachRecord_hasACellForEachKey() {
        let keys = TagOccurrence.csvHeader.split(separator: ",").map(String.init)
        #expect(keys == TagKey.allCases.map(\.rawValue))
        for record in SampleOwners.records() {
            var cells = 1
            var isQuoted = false
            for character in record.csvLine {
                if character == "\"" { isQuoted.toggle() }
                if character == ",", !isQuoted { cells += 1 }
            }
            #expect(cells == keys.count)
            #expect(!isQuoted)
        }
    }

    @Test func storedBody_ofEachRecord_roundTrips_withoutSecretsOfAddresses() throws {
        for record in SampleOwners.records() {
            var stored = record
            stored.origin.place = record.origin.place.printable
            #expect(try StoredBody.decode(StoredBody.encode(record).span) == stored)
        }
    }

    @Test func storedBody_ofChannelOrSession_roundTrips() throws {
        var record = try #require(SampleOwners.example())
        let place = record.origin.place
        let unknown = TagPlace(source: "")
        for origin in [
            TagOrigin.channel(id: "one-hd", place), .session(SessionPlace(id: "3f0c", order: .max), place),
            .session(SessionPlace(id: "", order: 0, isPresented: false), unknown),
            .session(
                SessionPlace(
                    id: "3f0c", order: 9, channel: "Harbour \u{1F6A2}", asset: "A.1_b-c",
                    assetType: "midroll",
                    playhead: 12.5, mediaTime: -0.25, isPresented: false), unknown),
            .session(
                SessionPlace(
                    id: "3f0c", order: 9, channel: "One", optedOutStore: "00112233445566778899aabbccddeeff"),
                unknown),
        ] {
            record.origin = origin
            let body = StoredBody.encode(record)
            #expect(try StoredBody.decode(body.span) == record)
            for length in 0..<body.count {
                #expect(throws: StoredBody.DecodingError.self) {
                    try StoredBody.decode(Array(body[..<length]).span)
                }
            }
        }
    }

    /// An id that collectors would not accept as the id of a buffer must not enter the header of a batch.
    @Test(arguments: ["", "0", "00112233445566778899aabbccddeefg", "00112233445566778899aabbccddeeff00"])
    func storedBody_ofOptedOutSession_withInvalidStoreID_isInvalid(store: String) throws {
        var record = try #require(SampleOwners.example())
        record.origin = .session(SessionPlace(id: "", order: 0, optedOutStore: store), TagPlace(source: ""))
        #expect(throws: StoredBody.DecodingError.self) {
            try StoredBody.decode(StoredBody.encode(record).span)
        }
    }

    @Test func wireObject_ofASession_hasItsIDAndOrder_butNoSource() throws {
        var record = try #require(SampleOwners.example())
        record.origin = .session(
            SessionPlace(
                id: "3f0c", order: 7, channel: "Harbour TV", asset: "A1", assetType: "content", playhead: 30,
                mediaTime: 41.5, isPresented: false), TagPlace(source: ""))
        var writer = JSONWriter()
        record.writeWireObject(id: "00", received: 0, to: &writer)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        #expect(object["session"] as? String == "3f0c" && object["order"] as? Int == 7)
        #expect(object["source"] == nil)
        #expect(object["channel"] as? String == "Harbour TV" && object["asset"] as? String == "A1")
        #expect(object["type"] as? String == "content" && object["playhead"] as? Double == 30)
        #expect(object["media_time"] as? Double == 41.5 && object["presented"] as? Bool == false)
        #expect(object["opted_out"] == nil)
        record.origin = .channel(id: "one-hd", TagPlace(source: "https://cdn.example/one.m3u8"))
        writer = JSONWriter()
        record.writeWireObject(id: "00", received: 0, to: &writer)
        let channel = try #require(
            try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        #expect(channel["channel"] as? String == "one-hd")
        #expect(channel["source"] as? String == "https://cdn.example/one.m3u8")
    }

    @Test func storedBody_ofPlayerTag_preservesWhitespaceInOwner() throws {
        let owner = Array("www.nielsen.com/ a b\t/".utf8)
        let decoded = NielsenTag(playerIdentifier: owner.span)
        let tag = try #require(decoded)
        let record = TagOccurrence(
            tag: tag, origin: .session(SessionPlace(id: "3f0c", order: 0), TagPlace(source: "")), time: nil,
            seconds: nil, carriage: .player)
        let back = try StoredBody.decode(StoredBody.encode(record).span)
        #expect(back == record && back.tag.ownerIdentifier == owner)
    }

    @Test func storedBody_preservesProblemsNotDerivableFromOwner() throws {
        var record = try #require(SampleOwners.example())
        record.problems = [CheckID("tag.header"), CheckID("tag.tail")]
        let back = try StoredBody.decode(StoredBody.encode(record).span)
        #expect(back.problems.map(\.rawValue) == ["tag.header", "tag.tail"])
    }

    @Test func storedBody_truncatedAtAnyByte_isInvalid() throws {
        for record in SampleOwners.records().prefix(64) {
            let body = StoredBody.encode(record)
            for length in 0..<body.count {
                #expect(throws: StoredBody.DecodingError.self) {
                    try StoredBody.decode(Array(body[..<length]).span)
                }
            }
        }
    }

    @Test func storedBody_withEachBitFlipped_neverCrashes() throws {
        let body = StoredBody.encode(try #require(SampleOwners.example()))
        var unreadable = 0
        for bit in 0..<body.count * 8 {
            var flipped = body
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            do throws(StoredBody.DecodingError) {
                _ = try StoredBody.decode(flipped.span)
            } catch {
                unreadable += 1
            }
        }
        #expect(unreadable > 0)
        for version in [0, 1, 3] as [UInt8] {
            #expect(throws: StoredBody.DecodingError.unknownVersion(version)) {
                try StoredBody.decode([version].span)
            }
        }
    }

    @Test func wireObject_listsAllRenditionsOnce() throws {
        var record = try #require(SampleOwners.example())
        record.origin.place.renditions.append("audio/index.m3u8")
        var writer = JSONWriter()
        record.writeWireObject(
            id: "000102030405060708090a0b0c0d0e0f", received: 1_795_176_019_200, to: &writer)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
        #expect(object["id"] as? String == "000102030405060708090a0b0c0d0e0f")
        #expect(object["received"] as? String == "2026-11-20T12:00:19.200Z")
        #expect(object["renditions"] as? [String] == ["v360/index.m3u8", "audio/index.m3u8"])
        #expect(object["rendition"] == nil)
        #expect(object["owner"] as? String == SampleOwners.data)
    }

    @Test func textRow_ofContractExample_alignsWithHeadings() throws {
        let row = TagOccurrence.textRow(try #require(SampleOwners.example()).textCells)
        #expect(
            row
                == "      19.200  data          52  2015-11-24 17:20:45    9 s  065H2g6E…  _EMc37zf…  seg00003.ts"
                + "       mpegts 258    -")
        #expect(TagOccurrence.textHeader.distance(of: "PROBLEMS") == row.count - 1)
    }

    /// The line of a batch is written without decoding the place to strings, and has the same bytes.
    @Test(arguments: ["media/ä\"b.m3u8", "http://host/a.m3u8", "http://u:p@host/a.m3u8?x=1", ""])
    func wireLine_ofStoredBytes_equalsThatOfTheDecodedRecord(source: String) throws {
        var session = SessionPlace(id: "s", order: 7, channel: "One", playhead: 1.5)
        let store = String(repeating: "0f", count: 16)
        for record in SampleOwners.records() {
            var place = record.origin.place
            place.source = source
            session.optedOutStore = session.optedOutStore == nil ? store : nil
            for origin in [TagOrigin.recording(place), .channel(id: "c", place), .session(session, place)] {
                var record = record
                record.origin = origin
                let body = StoredBody.encode(record)
                var expected = JSONWriter()
                let decoded = try StoredRecord.decode(body.span)
                decoded.writeWireMembers(id: "1", received: 2, to: &expected)
                var writer = JSONWriter()
                let sender = try StoredRecord.writeWireMembers(
                    of: body.span, id: "1", received: 2, to: &writer)
                #expect(writer.bytes == expected.bytes)
                #expect(sender == decoded.optedOutStore)
            }
        }
    }
}

extension String {
    fileprivate func distance(of text: String) -> Int? {
        range(of: text).map { distance(from: startIndex, to: $0.lowerBound) }
    }
}

extension TagOccurrence {
    /// Writes the tag as the object that a collector receives.
    fileprivate func writeWireObject(id: String, received: Int64, to writer: inout JSONWriter) {
        writer.beginObject()
        writeWireMembers(id: id, received: received, to: &writer)
        writer.endObject()
    }
}
