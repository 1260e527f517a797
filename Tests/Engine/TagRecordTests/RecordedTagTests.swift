import Foundation
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

    @Test func jsonLine_ofTheContractsExample_isTheContractsLine() throws {
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

    @Test func jsonLine_ofEachRecord_hasTheKeysThatBelongToIt() throws {
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

    @Test func jsonLine_ofEachRecord_isWhatItsFieldsAreOneByOne() throws {
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

    @Test func storedBody_ofEachRecord_comesBackAsItWas() throws {
        for record in SampleOwners.records() {
            #expect(try StoredBody.decode(StoredBody.encode(record).span) == record)
        }
    }

    @Test func storedBody_keepsProblemsThatTheOwnerAloneDoesNotShow() throws {
        var record = try #require(SampleOwners.example())
        record.problems.formUnion([.tail, .header])
        let back = try StoredBody.decode(StoredBody.encode(record).span)
        #expect(back.problems == [.tail, .header])
    }

    @Test func storedBody_cutAtEachByte_isAnErrorAndNeverATag() throws {
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
        #expect(throws: StoredBody.DecodingError.unknownVersion(9)) { try StoredBody.decode([9].span) }
    }

    @Test func wireObject_namesAllRenditionsOnce() throws {
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

    @Test func textRow_ofTheContractsExample_keepsToTheHeadingsColumns() throws {
        let row = try #require(SampleOwners.example()).textRow
        #expect(
            row
                == "      19.200  data        52  2015-11-24 17:20:45    9 s  065H2g6E…  _EMc37zf…  seg00003.ts"
                + "       mpegts 258    -")
        #expect(TagOccurrence.textHeader.distance(of: "PROBLEMS") == row.count - 1)
    }
}

extension String {
    fileprivate func distance(of text: String) -> Int? {
        range(of: text).map { distance(from: startIndex, to: $0.lowerBound) }
    }
}
