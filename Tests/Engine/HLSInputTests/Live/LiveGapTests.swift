import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

/// A tag with packets in two segments.
@Suite(.timeLimit(.minutes(30))) struct LiveGapTests {
    /// Splits a transport stream after the first packet of its last tag; the rest of that tag is in the second half.
    private static func cut(_ bytes: [UInt8]) throws -> (first: [UInt8], second: [UInt8]) {
        let starts = stride(from: 0, to: bytes.count, by: 188).filter { start in
            let hasAdaptation = bytes[start + 3] & 0x20 != 0
            let payload = start + 4 + (hasAdaptation ? 1 + Int(bytes[start + 4]) : 0)
            // A PES packet begins here, of private stream 1 (ISO/IEC 13818-1, 2.4.3.7).
            return bytes[start + 1] & 0x40 != 0 && payload + 4 <= start + 188
                && Array(bytes[payload..<payload + 4]) == [0, 0, 1, 0xBD]
        }
        let end = try #require(starts.last) + 188
        return (Array(bytes[..<end]), Array(bytes[end...]))
    }

    @Test(arguments: [(101, true), (102, false)])
    func tagAcrossTwoSegments_isReadOnlyIfTheyAreConsecutive(next: Int, isRead: Bool) async throws {
        let site = try LiveSite()
        let halves = try Self.cut(site.stream[0])
        site["/first.ts"] = ServedResource(halves.first)
        site["/second.ts"] = ServedResource(halves.second)
        func list(_ name: String, at sequence: Int) {
            site["/index.m3u8"] = ServedResource(
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:\(sequence)
                #EXTINF:2,
                \(name)

                """)
        }
        let owners = site.stream.owners(inSegments: [0])
        #expect(owners.count == 2)
        list("first.ts", at: 100)
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        #expect(reader.owners == [owners[0]])
        list("second.ts", at: next)
        _ = await reader.load()
        if isRead {
            #expect(reader.owners == owners)
        } else {
            // The available part is a truncated tag, not a tag joined from two.
            let tag = try #require(reader.readings.flatMap(\.reading.tags).last)
            let owner = String(decoding: tag.tag.ownerIdentifier, as: UTF8.self)
            #expect(tag.isTruncated && owners[1].hasPrefix(owner) && owner != owners[1])
        }
    }
}
