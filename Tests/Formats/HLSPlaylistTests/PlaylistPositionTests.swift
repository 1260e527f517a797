import HLSPlaylist
import Testing

@Suite struct PlaylistPositionTests {
    /// A version of a live playlist: its first number and its names, which dates may accompany.
    private func version(_ first: Int, _ names: [String], from date: Int64? = nil) throws -> MediaPlaylist {
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6", "#EXT-X-MEDIA-SEQUENCE:\(first)"]
        if let date {
            let minute = date / 60
            lines.append(
                "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:\(minute < 10 ? "0" : "")\(minute):\(date % 60 < 10 ? "0" : "")\(date % 60)Z"
            )
        }
        for name in names { lines += ["#EXTINF:6,", name] }
        guard
            case .media(let playlist) = try Playlist(parsing: Array(lines.joined(separator: "\n").utf8).span)
        else { throw WrongKind() }
        return playlist
    }

    private func names(_ range: ClosedRange<Int>) -> [String] { range.map { "s\($0).ts?t=\($0 * 7)" } }

    /// Versions in order; of each what comes new, what was missed, and whether it starts over.
    private func expectAdvances(
        _ versions: [(MediaPlaylist, new: [Int], missed: Int, reset: Bool)]
    ) {
        var position = PlaylistPosition()
        for (index, version) in versions.enumerated() {
            let advance = position.advance(to: version.0)
            #expect(advance.segments.map(\.mediaSequence) == version.new, "version \(index)")
            #expect(advance.missedCount == version.missed, "version \(index)")
            #expect(advance.isReset == version.reset, "version \(index)")
        }
    }

    @Test func window_thatSlides_givesEachSegmentOnce() throws {
        expectAdvances([
            (try version(1, names(1...3)), [1, 2, 3], 0, false), (try version(1, names(1...3)), [], 0, false),
            (try version(2, names(2...4)), [4], 0, false),
            (try version(5, names(5...7)), [5, 6, 7], 0, false),
        ])
    }

    @Test func window_thatSlidTooFar_countsTheMissed() throws {
        expectAdvances([
            (try version(1, names(1...3)), [1, 2, 3], 0, false),
            (try version(6, names(6...7)), [6, 7], 2, false),
        ])
    }

    @Test func version_thatIsOlder_bringsNothing() throws {
        expectAdvances([
            (try version(3, names(3...6)), [3, 4, 5, 6], 0, false),
            (try version(2, names(2...5)), [], 0, false),
            (try version(4, names(4...7)), [7], 0, false),
        ])
    }

    @Test func stream_thatStartsOver_isAReset() throws {
        expectAdvances([
            (try version(100, names(100...103)), [100, 101, 102, 103], 0, false),
            (try version(0, names(0...2)), [0, 1, 2], 0, true), (try version(1, names(1...3)), [3], 0, false),
        ])
    }

    @Test func stream_thatStartsOverUnderTheSameNumbersAndNames_isToldByItsDates() throws {
        expectAdvances([
            (try version(0, names(0...3), from: 0), [0, 1, 2, 3], 0, false),
            (try version(0, names(0...2), from: 600), [0, 1, 2], 0, true),
        ])
    }

    @Test func stream_thatStartsOverUnderOtherNames_isAReset() throws {
        expectAdvances([
            (try version(0, ["a0", "a1", "a2"]), [0, 1, 2], 0, false),
            (try version(0, ["b0", "b1"]), [0, 1], 0, true),
        ])
    }

    /// No EXT-X-MEDIA-SEQUENCE: each version counts from 0, and the names tell where it goes on.
    @Test func window_withoutNumbers_goesOnByName() throws {
        expectAdvances([
            (try version(0, names(1...3)), [0, 1, 2], 0, false),
            (try version(0, names(2...4)), [2], 0, false),
            (try version(0, names(3...6)), [2, 3], 0, false),
        ])
    }

    @Test func addresses_thatAreSignedAnew_areTheSame() throws {
        expectAdvances([
            (try version(1, ["x/s1.ts?t=1", "x/s2.ts?t=1"]), [1, 2], 0, false),
            (try version(1, ["y/s1.ts?t=2", "y/s2.ts?t=2", "y/s3.ts"]), [3], 0, false),
        ])
    }

    @Test func version_withoutSegments_changesNothing() throws {
        expectAdvances([
            (try version(1, names(1...2)), [1, 2], 0, false), (try version(3, []), [], 0, false),
            (try version(2, names(2...3)), [3], 0, false),
        ])
    }
}
