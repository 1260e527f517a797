import Foundation
import HLSPlaylist
import TestSupport
import Testing

/// The page about the limits matches the code.
@Suite struct PlaylistLimitPageTests {
    private static let rows: [PlaylistLimit: String] = [
        .segments: "segments of a media playlist", .parts: "partial segments (EXT-X-PART)",
        .preloadHints: "preload hints", .keyFormats: "key formats in use at a time",
        .dateRanges: "date ranges with SCTE 35 data", .variants: "variants (EXT-X-STREAM-INF)",
        .iFrameVariants: "I-frame variants", .renditions: "renditions (EXT-X-MEDIA)",
        .sessionData: "session data", .sessionKeys: "session keys",
        .variables: "variables (EXT-X-DEFINE)",
        .replacedText: "bytes of all texts in which variables were replaced",
        .addressBytes: "bytes of one address (URI)",
        .attributeBytes:
            "bytes of one METHOD, KEYFORMAT or KEYFORMATVERSIONS of a key, or ID of a date range",
    ]

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text = "," + text }
            text = String(digit) + text
        }
        return text
    }

    @Test func page_hasARowForEachLimit() throws {
        let page = try String(contentsOfFile: Project.root + "/docs/playlist-limits.md", encoding: .utf8)
        for limit in PlaylistLimit.allCases {
            let row = "| \(try #require(Self.rows[limit])) | \(Self.grouped(limit.maximum)) |"
            #expect(page.contains(row), "\(row)")
        }
        #expect(page.contains("\(Self.grouped(PlaylistNumber.maximumSeconds)) s"))
        #expect(PlaylistNumber.maximumInteger == (1 << 53) - 1)
    }
}
