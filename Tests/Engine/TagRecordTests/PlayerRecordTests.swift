import Foundation
import NielsenID3
import Testing
import TextForms

@testable import TagRecord

/// How an asset was played, as the buffer keeps it and a collector gets it.
@Suite struct AssetSummaryTests {
    private static func summaries() -> [AssetSummary] {
        [nil, "00112233445566778899aabbccddeeff"].flatMap { store in
            [
                AssetSummary(
                    session: SessionPlace(
                        id: "3f0c", order: 300, channel: "Harbour \u{1F6A2}", asset: "A.1",
                        assetType: "content",
                        playhead: 1_800.5, optedOutStore: store), firstPlayhead: 3, watched: 1_788.25),
                AssetSummary(
                    session: SessionPlace(id: "", order: 0, optedOutStore: store), firstPlayhead: 0,
                    watched: 0),
            ]
        }
    }

    @Test func storedBody_comesBackAsItWas_andNoPartOfItIsOne() throws {
        for summary in Self.summaries() {
            let body = summary.storedBody
            #expect(try StoredRecord.decode(body.span) == .summary(summary))
            #expect(try StoredRecord.decode(body.span).optedOutStore == summary.session.optedOutStore)
            for length in 0..<body.count {
                #expect(throws: StoredBody.DecodingError.self) {
                    try StoredRecord.decode(Array(body[..<length]).span)
                }
            }
            // Who asks for a tag gets none.
            #expect(throws: StoredBody.DecodingError.unknownVersion(3)) { try StoredBody.decode(body.span) }
        }
    }

    @Test func storedBody_ofATag_isThatTag() throws {
        for record in SampleOwners.records() {
            let body = StoredRecord.tag(record).storedBody
            #expect(body == StoredBody.encode(record))
            #expect(try StoredRecord.decode(body.span) == .tag(record))
        }
    }

    @Test func wireObject_isOfKindSession_andHasNothingOfATag() throws {
        var writer = JSONWriter()
        writer.beginObject()
        StoredRecord.summary(Self.summaries()[2]).writeWireMembers(id: "00", received: 0, to: &writer)
        writer.endObject()
        let line =
            #"{"id":"00","received":"1970-01-01T00:00:00.000Z","session":"3f0c","order":300,"#
            + "\"channel\":\"Harbour \u{1F6A2}\","
            + #""asset":"A.1","type":"content","playhead":1800.5,"#
            + #""opted_out":true,"kind":"session","first_playhead":3.0,"watched":1788.25}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == line)
    }
}
