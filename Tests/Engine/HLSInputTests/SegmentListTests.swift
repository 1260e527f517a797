import HLSPlaylist
import Testing

@testable import HLSInput

/// The segments of a playlist, created on access.
@Suite struct SegmentListTests {
    private static func list(_ lines: [String], at address: String) throws -> Presentation.SegmentList {
        let text = ["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines + ["#EXT-X-ENDLIST"]
        let bytes = Array(text.joined(separator: "\n").utf8)
        guard case .media(let playlist) = try Playlist(parsing: bytes.span, address: address) else {
            throw InputError.nestedPlaylist(address)
        }
        return Presentation.SegmentList(
            ListedSegments(playlist.segments, at: InputAddress(argument: address)))
    }

    private static let lines = [
        "#EXT-X-MEDIA-SEQUENCE:7",
        "#EXTINF:4.5,", "a.m4s",
        "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\"", "#EXT-X-MAP:URI=\"i1.mp4\"",
        "#EXTINF:6,", "b.m4s",
        "#EXTINF:6,", "c.m4s",
        "#EXT-X-MAP:URI=\"i2.mp4\",BYTERANGE=\"10@5\"",
        "#EXT-X-DISCONTINUITY", "#EXTINF:6,", "d.m4s",
        "#EXT-X-KEY:METHOD=NONE", "#EXT-X-GAP", "#EXT-X-BYTERANGE:20@3", "#EXTINF:6,", "e.m4s",
        "#EXT-X-MAP:URI=\"file:///secret\"",
        "#EXTINF:6,", "f.m4s",
        "#EXTINF:6,", "g.m4s",
        "#EXTINF:6,", "file:///etc/hostname",
    ]

    /// Each segment is the same, regardless of the order of access.
    @Test(arguments: [[0, 1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1, 0], [2, 5, 2, 0, 7, 4, 1, 6, 3]])
    func segments_accessedInAnyOrder_matchThePlaylist(order: [Int]) throws {
        let list = try Self.list(Self.lines, at: "https://h/v/p.m3u8")
        #expect(list.count == 8)
        let names = ["a.m4s", "b.m4s", "c.m4s", "d.m4s", "e.m4s", "f.m4s", "g.m4s", "file:///etc/hostname"]
        for index in order {
            let segment = list[index]
            #expect(segment.name == names[index])
            #expect(segment.mediaSequence == UInt64(7 + index))
            #expect(segment.duration == (index == 0 ? 4.5 : 6))
            #expect(segment.isDiscontinuity == (index == 3))
            #expect(segment.isGap == (index == 4))
            #expect(segment.byteRange == (index == 4 ? .init(offset: 3, length: 20) : nil))
            #expect(segment.encryption?.method == ((1...3).contains(index) ? "AES-128" : nil))
            #expect(
                segment.encryption?.initializationVector.last
                    == ((1...3).contains(index) ? UInt8(7 + index) : nil))
            if index < 7 { #expect(segment.address == .network("https://h/v/" + names[index])) }
        }
    }

    /// An initialization segment without an IV uses that of the first segment that needs it, in any order of access.
    @Test func initializationSegments_applyUntilTheNextMap() throws {
        let list = try Self.list(Self.lines, at: "https://h/v/p.m3u8")
        let sections = list.map(\.initialization).map { $0?.unreadable == nil ? $0 : nil }
        #expect(
            sections.map { $0?.address.text } == [
                nil, "https://h/v/i1.mp4", "https://h/v/i1.mp4", "https://h/v/i2.mp4", "https://h/v/i2.mp4",
                nil, nil, nil,
            ])
        #expect(
            sections.map { $0?.encryption?.initializationVector.last } == [nil, 8, 8, 10, 10, nil, nil, nil])
        #expect(sections[3]?.byteRange == .init(offset: 5, length: 10))
    }

    /// A segment whose initialization section is forbidden can be read without it.
    @Test func forbiddenReferences_areErrorsOfTheirResource() throws {
        let list = try Self.list(Self.lines, at: "https://h/v/p.m3u8")
        let playlist = "https://h/v/p.m3u8"
        #expect(
            list.map(\.unreadable) == [
                nil, nil, nil, nil, nil, nil, nil,
                .forbiddenAddress("file:///etc/hostname", playlist: playlist),
            ])
        let forbidden = InputError.forbiddenAddress("file:///secret", playlist: playlist)
        #expect(
            list.map { $0.initialization?.unreadable } == [
                nil, nil, nil, nil, nil, forbidden, forbidden, forbidden,
            ])
    }
}
