import Foundation
import Testing
import TextForms

@testable import TagRecord

/// The records of a channel's breaks and outages, as the buffer stores them and a collector receives them.
@Suite struct ChannelPeriodTests {
    private static let monitor = "00112233445566778899aabbccddeeff"

    private static let periods = ChannelPeriod.State.allCases.flatMap { state in
        [nil, "Nyheter \u{1F6A2}"].map { text in
            ChannelPeriod(
                state, of: "news", seenBy: monitor, at: 1_800_000_000_000..<1_800_000_900_001, name: text,
                reason: text)
        }
    }

    @Test func storedBody_isDecodedUnchanged_butInvalidWhenTruncated() throws {
        for period in Self.periods {
            let body = period.storedBody
            #expect(try StoredRecord.decode(body.span) == .period(period))
            #expect(try !StoredRecord.decode(body.span).isTag)
            for length in 0..<body.count {
                #expect(throws: StoredBody.DecodingError.self) {
                    try StoredRecord.decode(Array(body[..<length]).span)
                }
            }
        }
        var body = Self.periods[0].storedBody
        body[1] = 99
        #expect(throws: StoredBody.DecodingError.invalid(offset: 1)) { try StoredRecord.decode(body.span) }
    }

    @Test func period_asALine_hasTheKeysOfTheSchema() throws {
        var writer = JSONWriter()
        writer.beginObject()
        let period = ChannelPeriod(
            .advertisement, of: "news", seenBy: Self.monitor, at: 1_800_000_000_000..<1_800_000_060_500)
        StoredRecord.period(period).writeWireMembers(id: "00", received: 0, to: &writer)
        writer.endObject()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"id":"00","received":"1970-01-01T00:00:00.000Z","channel":"news","kind":"period","#
                + #""state":"break","monitor":"\#(Self.monitor)","started":"2027-01-15T08:00:00.000Z","#
                + #""ended":"2027-01-15T08:01:00.500Z"}"#)
    }

    @Test func texts_areLimited() {
        let long = String(repeating: "x", count: 1_000)
        let period = ChannelPeriod(.silent, of: "a", seenBy: "", at: 0..<1, name: long, reason: long)
        #expect(period.name?.count == 200 && period.reason?.count == 200)
    }
}
