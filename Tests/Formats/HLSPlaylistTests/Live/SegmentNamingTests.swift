import Testing

@testable import HLSPlaylist

/// Live playlists whose URIs tell segments apart in other ways than by a number in the file name; without dates.
@Suite struct SegmentNamingTests {
    /// The URI of a segment of a run, in the given load.
    struct Naming: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let uri: @Sendable (_ run: Int, _ number: Int, _ load: Int) -> String
    }

    static let namings = [
        Naming(testDescription: "number in the name") { run, number, _ in "r\(run)-\(number).ts" },
        Naming(testDescription: "number in the folder") { run, number, _ in "r\(run)/sq/\(number)/seg.ts" },
        Naming(testDescription: "number in the query") { run, number, _ in "r\(run)/seg.ts?n=\(number)" },
        Naming(testDescription: "token in the folder") { run, number, load in "t\(load)/r\(run)-\(number).ts"
        },
        Naming(testDescription: "token in the query") { run, number, load in "r\(run)-\(number).ts?t=\(load)"
        },
        Naming(testDescription: "number in the query, and a token") { run, number, load in
            "r\(run)/seg.ts?n=\(number)&t=\(load)"
        },
        Naming(testDescription: "number in the query, and a signature of each segment") { run, number, load in
            "r\(run)/seg.ts?n=\(number)&sig=\(load)x\(number)"
        },
        Naming(testDescription: "an advertisement among equal names") { run, number, _ in
            "r\(run)/sq/\(number)/" + (number % 4 == 3 ? "ad.ts" : "seg.ts")
        },
        Naming(testDescription: "an advertisement of another form among equal names") { run, number, _ in
            number % 4 == 3 ? "ad\(number).ts" : "r\(run)/sq/\(number)/seg.ts"
        },
        Naming(testDescription: "fragments that differ") { run, number, load in
            "r\(run)/sq/\(number)/seg.ts#\(load)/\(number)"
        },
    ]

    /// Tags that a playlist has for its segments besides their URIs.
    enum Numbering: CaseIterable {
        case numbers, numbersAndDates, dates, nothing
    }

    private struct Stream {
        let naming: Naming
        var numbering = Numbering.numbers
        var follower = PlaylistFollower()
        var load = 0
        /// The segments that were returned, as run and number.
        var returned: [String] = []

        /// Loads a window of a run; the media sequence number of its segment 0 is `origin`.
        mutating func list(_ numbers: Range<Int>, run: Int, origin: Int) throws {
            load += 1
            var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6"]
            if numbering == .numbers || numbering == .numbersAndDates {
                lines.append("#EXT-X-MEDIA-SEQUENCE:\(origin + numbers.lowerBound)")
            }
            for number in numbers {
                if numbering == .dates || numbering == .numbersAndDates {
                    lines.append("#EXT-X-PROGRAM-DATE-TIME:\(Self.date(run: run, number: number))")
                }
                lines += ["#EXTINF:6,", naming.uri(run, number, load)]
            }
            let text = lines.joined(separator: "\n") + "\n"
            guard case .media(let playlist) = try Playlist(parsing: Array(text.utf8).span) else {
                throw NotAMediaPlaylist()
            }
            let update = follower.observe(.playlist(playlist), at: .seconds(6 * load))
            // New segments are the last listed ones.
            returned += numbers.suffix(update.newSegments.count).map { "\(run):\($0)" }
        }

        /// Segments of a run follow each other; the next run begins an hour later.
        private static func date(run: Int, number: Int) -> String {
            "2026-01-01T1\(run):1\(number / 10):\(10 + 5 * (number % 10))Z"
        }
    }

    private struct NotAMediaPlaylist: Error {}

    private static func names(_ numbers: Range<Int>, run: Int) -> [String] { numbers.map { "\(run):\($0)" } }

    @Test(arguments: namings, Numbering.allCases)
    func slidingWindow_andRepeatedLoads_returnEachSegmentOnce(naming: Naming, numbering: Numbering) throws {
        var stream = Stream(naming: naming, numbering: numbering)
        for first in 0..<12 {
            try stream.list(first..<first + 5, run: 1, origin: 100)
            try stream.list(first..<first + 5, run: 1, origin: 100)
        }
        #expect(stream.returned == Self.names(0..<16, run: 1))
    }

    @Test(arguments: namings, Numbering.allCases)
    func staleVersion_addsNoSegments(naming: Naming, numbering: Numbering) throws {
        var stream = Stream(naming: naming, numbering: numbering)
        try stream.list(0..<5, run: 1, origin: 100)
        try stream.list(1..<6, run: 1, origin: 100)
        try stream.list(0..<5, run: 1, origin: 100)
        try stream.list(2..<7, run: 1, origin: 100)
        #expect(stream.returned == Self.names(0..<7, run: 1))
    }

    /// The numbers of the new run are far below, or far above.
    @Test(arguments: namings, [-5, 1_000])
    func restart_atOtherNumbers_isReadWhole(naming: Naming, origin: Int) throws {
        var stream = Stream(naming: naming)
        try stream.list(0..<5, run: 1, origin: 100)
        try stream.list(1..<6, run: 1, origin: 100)
        try stream.list(5..<8, run: 2, origin: origin)
        try stream.list(5..<9, run: 2, origin: origin)
        #expect(stream.returned == Self.names(0..<6, run: 1) + Self.names(5..<9, run: 2))
    }

    /// A second restart is seen with one segment, which does not show the naming.
    ///
    /// If nothing but a folder tells the runs apart, it may as well be a token of the session: no tag is repeated then.
    @Test(arguments: namings, Numbering.allCases)
    func secondRestart_seenWithOneSegment_isReadWhole(naming: Naming, numbering: Numbering) throws {
        var stream = Stream(naming: naming, numbering: numbering)
        let mayBeToken =
            numbering == .nothing && !naming.testDescription.contains("in the name")
            && !naming.testDescription.hasPrefix("token")
        try stream.list(0..<5, run: 1, origin: 1_000)
        try stream.list(0..<5, run: 2, origin: 500)
        try stream.list(0..<1, run: 3, origin: 0)
        try stream.list(0..<2, run: 3, origin: 0)
        let others = mayBeToken ? [] : Self.names(0..<5, run: 2) + Self.names(0..<2, run: 3)
        let expected = Self.names(0..<5, run: 1) + others
        #expect(stream.returned == expected)
    }
}
