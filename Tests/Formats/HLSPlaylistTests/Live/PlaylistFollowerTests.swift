import HLSPlaylist
import Testing

@Suite struct PlaylistFollowerTests {
    private func date(_ seconds: Int) -> [String] {
        let (minute, second) = (seconds / 60 % 60, seconds % 60)
        let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return ["#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:\(pad(minute)):\(pad(second))Z"]
    }

    // MARK: The window

    @Test func slidingWindow_returnsEachSegmentOnce() throws {
        expectSequence([
            try Step("1 | s1 s2 s3", new: [1, 2, 3]), try Step("1 | s1 s2 s3", new: []),
            try Step("2 | s2 s3 s4", new: [4]), try Step("5 | s5 s6 s7", new: [5, 6, 7]),
        ])
    }

    @Test func window_thatSlidTooFar_reportsAGap() throws {
        expectSequence([
            try Step("1 | s1 s2 s3", new: [1, 2, 3]),
            try Step("6 | s6 s7", new: [6, 7], events: [.sequenceGap(expected: 4, found: 6)]),
        ])
    }

    @Test func olderVersion_isReportedAndAddsNoSegments() throws {
        expectSequence([
            try Step("3 | s3 s4 s5 s6", new: [3, 4, 5, 6]),
            try Step("2 | s2 s3 s4 s5", new: [], events: [.sequenceBack(newest: 6, found: 2)]),
            try Step("4 | s4 s5 s6 s7", new: [7]),
        ])
    }

    @Test func version_olderThanTheWindow_addsNoSegments() throws {
        expectSequence([
            try Step("10 | s10 s11 s12", new: [10, 11, 12]),
            try Step("7 | s7 s8 s9", new: [], events: [.sequenceBack(newest: 12, found: 7)]),
            try Step("11 | s11 s12 s13", new: [13]),
        ])
    }

    @Test func version_farBackWithOlderDates_addsNoSegments() throws {
        expectSequence([
            try Step("100 | s100 s101", lines: date(1_000), new: [100, 101]),
            try Step(
                "50 | s50 s51", lines: date(500), new: [], events: [.sequenceBack(newest: 101, found: 50)]),
            try Step("101 | s101 s102", lines: date(1_010), new: [102]),
        ])
    }

    /// An encoder with a wrong clock after a restart is followed nevertheless.
    @Test func stream_thatStaysAtOlderDates_isTreatedAsReset() throws {
        var follower = PlaylistFollower()
        let before = try livePlaylist("100 | s100 s101", lines: date(3_000))
        _ = follower.observe(.playlist(before), at: .zero)
        for (second, first) in [(10, 0), (20, 1), (30, 2)] {
            let version = try livePlaylist("\(first) | n\(first) n\(first + 1)", lines: date(10 * first))
            let update = follower.observe(.playlist(version), at: .seconds(second))
            #expect(update.isReset == (second == 30))
            #expect(update.newSegments.map(\.mediaSequence) == (second == 30 ? [2, 3] : []))
        }
    }

    @Test func stream_thatContinuesFromAnOlderVersion_isTreatedAsReset() throws {
        expectSequence([
            try Step("10 | s10 s11 s12", new: [10, 11, 12]),
            try Step("5 | s5 s6 s7", new: [], events: [.sequenceBack(newest: 12, found: 5)]),
            try Step(
                "6 | s6 s7 s8", new: [],
                events: [.stale(unchangedFor: .seconds(20), targetDuration: .seconds(10))]),
            try Step(
                "7 | s7 s8 s9", new: [7, 8, 9], events: [.sequenceBack(newest: 12, found: 7)], isReset: true),
            try Step("8 | s8 s9 s10", new: [10]),
        ])
    }

    /// The same numbers and names in another folder or with another query may be those of a restart.
    @Test(arguments: [("s%?run=1", "s%?run=2"), ("a/s%", "b/s%")])
    func stream_thatReusesNumbersAndNamesAtOtherAddresses_isTreatedAsReset(_ old: String, _ new: String)
        throws
    {
        let list = { (name: String, numbers: ClosedRange<Int>) in
            "1 | " + numbers.map { name.replacing("%", with: "\($0)") }.joined(separator: " ")
        }
        var follower = PlaylistFollower()
        _ = follower.observe(.playlist(try livePlaylist(list(old, 1...6))), at: .zero)
        for second in [10, 20, 30] {
            let version = try livePlaylist(list(new, 1...(second / 10)))
            let update = follower.observe(.playlist(version), at: .seconds(second))
            #expect(update.isReset == (second == 30))
            #expect(update.newSegments.map(\.mediaSequence) == (second == 30 ? [1, 2, 3] : []))
        }
    }

    /// An older version of a cache lists some segments at the same addresses.
    @Test func stream_thatStaysAtKnownAddresses_addsNoSegments() throws {
        var follower = PlaylistFollower()
        _ = follower.observe(.playlist(try livePlaylist("1 | s1 s2 s3 s4 s5 s6")), at: .zero)
        for second in [10, 20, 30, 40] {
            let update = follower.observe(
                .playlist(try livePlaylist("1 | s1 s2 s3 s4")), at: .seconds(second))
            #expect(!update.isReset && update.newSegments.isEmpty)
        }
    }

    @Test func version_withoutSegments_changesNothing() throws {
        expectSequence([
            try Step("1 | s1 s2", new: [1, 2]), try Step("3 | ", new: []), try Step("2 | s2 s3", new: [3]),
        ])
    }

    @Test func gapSegments_areReturnedAsGaps() throws {
        var follower = PlaylistFollower()
        let update = follower.observe(.playlist(try livePlaylist("1 | s1 ~s2 s3")), at: .zero)
        #expect(update.newSegments.map(\.isGap) == [false, true, false])
        #expect(update.events.isEmpty)
    }

    @Test func segmentURLs_withNewSignatures_areTheSameSegments() throws {
        expectSequence([
            try Step("1 | x/s1.ts?t=1 x/s2.ts?t=1", new: [1, 2]),
            try Step("1 | y/s1.ts?t=2 y/s2.ts?t=2 y/s3", new: [3]),
        ])
    }

    @Test func replacedSegment_isReportedAndNotReadAgain() throws {
        expectSequence([
            try Step("1 | s1 s2 s3", new: [1, 2, 3]),
            try Step(
                "2 | s2 other s4", new: [4],
                events: [.segmentReplaced(mediaSequence: 3, from: "s3.ts", to: "other.ts")]),
        ])
    }

    /// An encoder that takes over with the same numbers.
    @Test func completelyReplacedWindow_continuesByMediaSequence() throws {
        expectSequence([
            try Step("1 | a1 a2 a3", new: [1, 2, 3]),
            try Step(
                "2 | b2 b3 b4", new: [4],
                events: [.segmentReplaced(mediaSequence: 2, from: "a2.ts", to: "b2.ts")]),
            try Step("3 | b3 b4 b5", new: [5]),
        ])
    }

    // MARK: Starting over

    @Test func stream_thatStartsOver_isReadFromTheOldestSegment() throws {
        expectSequence([
            try Step("100 | s100 s101 s102 s103", new: [100, 101, 102, 103]),
            try Step(
                "0 | s0 s1 s2", new: [0, 1, 2], events: [.sequenceBack(newest: 103, found: 0)], isReset: true),
            try Step("1 | s1 s2 s3", new: [3]),
        ])
    }

    @Test func stream_thatStartsOverWithTheSameNames_isDetectedByItsDates() throws {
        expectSequence([
            try Step("0 | s0 s1 s2 s3", lines: date(0), new: [0, 1, 2, 3]),
            try Step(
                "0 | s0 s1 s2", lines: date(600), new: [0, 1, 2],
                events: [.sequenceBack(newest: 3, found: 0)],
                isReset: true),
        ])
    }

    @Test func stream_thatStartsOverWithOtherNames_isAReset() throws {
        expectSequence([
            try Step("0 | a0 a1 a2", new: [0, 1, 2]),
            try Step("0 | b0 b1", new: [0, 1], events: [.sequenceBack(newest: 2, found: 0)], isReset: true),
        ])
    }

    /// Other numbers for the same segments: segments that were read are not read again.
    @Test func mediaSequenceRestart_withKnownSegments_continuesByName() throws {
        expectSequence([
            try Step("100 | s100 s101 s102", new: [100, 101, 102]),
            try Step("0 | s101 s102 s103", new: [2], events: [.sequenceBack(newest: 102, found: 0)]),
            try Step("1 | s102 s103 s104", new: [3]),
        ])
    }

    @Test func mediaSequenceJump_withContinuousDates_continuesByDate() throws {
        expectSequence([
            try Step("1 | s1 s2 s3", lines: date(10), new: [1, 2, 3]),
            try Step("1000 | s2 s3 s4", lines: date(20), new: [1_002]),
        ])
    }

    // MARK: Without numbers

    @Test func window_withoutMediaSequence_continuesByName() throws {
        expectSequence([
            try Step("| s1 s2 s3", new: [0, 1, 2]), try Step("| s2 s3 s4", new: [3]),
            try Step("| s1 s2 s3", new: [], events: [.sequenceBack(newest: 3, found: 0)]),
            try Step("| s4 s5 s6", new: [4, 5]),
        ])
    }

    @Test func window_withoutMediaSequenceOrKnownSegments_reportsAGap() throws {
        expectSequence([
            try Step("| s1 s2", new: [0, 1]),
            try Step("| s5 s6", new: [3, 4], events: [.sequenceGap(expected: 2, found: 3)]),
        ])
    }

    @Test func window_withoutMediaSequence_mayRepeatAName() throws {
        expectSequence([
            try Step("| s1 slate slate", new: [0, 1, 2]), try Step("| slate slate s2", new: [3]),
            try Step("| slate s2 slate", new: [4]),
        ])
    }

    // MARK: Restart

    @Test func restart_continuesAfterTheLastReadSequence() throws {
        expectSequence(
            [try Step("1 | s1 s2 s3", new: [3]), try Step("2 | s2 s3 s4", new: [4])], startingAfter: 2)
        expectSequence([try Step("1 | s1 s2 s3", new: [1, 2, 3])], startingAfter: 0)
        expectSequence(
            [try Step("1 | s1 s2 s3", new: []), try Step("2 | s2 s3 s4", new: [4])], startingAfter: 3)
    }

    /// Segments that left the playlist while it was not followed are not a fault of the channel.
    @Test func restart_afterALongPause_reportsOnlyLaterGaps() throws {
        expectSequence(
            [
                try Step("9 | s9 s10", new: [9, 10]),
                try Step("14 | s14", new: [14], events: [.sequenceGap(expected: 11, found: 14)]),
            ], startingAfter: 5)
    }

    @Test func restart_onAStreamThatStartedOver_readsFromTheOldestSegment() throws {
        expectSequence(
            [
                try Step(
                    "0 | s0 s1", new: [0, 1], events: [.sequenceBack(newest: 500, found: 0)], isReset: true)
            ], startingAfter: 500)
    }

    // MARK: Segments

    @Test func segment_longerThanTheTargetDuration_isReportedWhenNew() throws {
        expectSequence([
            try Step("1 | s1", seconds: 10.4, new: [1]),
            try Step(
                "1 | s1 s2", seconds: 10.5, new: [2],
                events: [.segmentTooLong(mediaSequence: 2, seconds: 10.5, targetDuration: 10)]),
        ])
    }

    @Test func programDateTime_thatJumps_isReportedOnce() throws {
        expectSequence([
            try Step("1 | s1 s2", lines: date(10), new: [1, 2]),
            try Step("2 | s2 s3", lines: date(21), new: [3]),
            try Step(
                "3 | s3 s4", lines: date(36), new: [4],
                events: [.dateJump(mediaSequence: 4, milliseconds: 5_000)]),
            try Step("4 | s4 s5", lines: date(46), new: [5]),
            try Step("5 | s5 !s6", lines: date(56), new: [6]),
        ])
    }

    /// A playlist that omits its first segments (second edition, 4.4.5.2).
    @Test func playlistDeltaUpdate_inheritsTheMapOfSkippedSegments() throws {
        let map = "#EXT-X-MAP:URI=\"init.mp4\""
        var follower = PlaylistFollower()
        let whole = try livePlaylist("1 | s1 !s2 s3 s4", discontinuities: 7, lines: [map])
        _ = follower.observe(.playlist(whole), at: .zero)
        let delta = try livePlaylist(
            "1 | s3 s4 s5", discontinuities: 7, lines: ["#EXT-X-SKIP:SKIPPED-SEGMENTS=2"])
        let update = follower.observe(.playlist(delta), at: .seconds(10))
        #expect(update.newSegments.map(\.mediaSequence) == [5])
        #expect(update.newSegments.first?.map?.uri == "init.mp4")
        #expect(update.events.isEmpty)
        let next = try livePlaylist("2 | !s2 s3 s4 s5 s6", discontinuities: 7, lines: [map])
        let last = follower.observe(.playlist(next), at: .seconds(20))
        #expect(last.newSegments.map(\.mediaSequence) == [6])
        #expect(last.events.isEmpty)
    }

    @Test func lowLatencyPlaylist_isReadSegmentBySegment() throws {
        var follower = PlaylistFollower()
        let lines = [
            "#EXT-X-PART-INF:PART-TARGET=1", "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3",
        ]
        let first = try livePlaylist("1 | s1 s2", lines: lines)
        #expect(follower.observe(.playlist(first), at: .zero).newSegments.count == 2)
        let text = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:10", "#EXT-X-MEDIA-SEQUENCE:1", "#EXTINF:10,", "s1.ts",
            "#EXTINF:10,",
            "s2.ts", "#EXT-X-PART:DURATION=1,URI=\"s3.0.ts\"",
            "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"s3.1.ts\"",
        ].joined(separator: "\n")
        guard case .media(let parts) = try Playlist(parsing: Array(text.utf8).span) else { throw WrongKind() }
        #expect(follower.observe(.playlist(parts), at: .seconds(10)).newSegments.isEmpty)
    }

    @Test func rememberedSegments_afterManyLoads_areLimited() throws {
        var follower = PlaylistFollower()
        var names = (0..<2_000).map { "s\($0)" }
        _ = follower.observe(.playlist(try livePlaylist("0 | " + names.joined(separator: " "))), at: .zero)
        for load in 1...50 {
            names = names.dropFirst() + ["s\(1_999 + load)"]
            let version = try livePlaylist("\(load) | " + names.joined(separator: " "))
            let update = follower.observe(.playlist(version), at: .seconds(10 * load))
            #expect(update.newSegments.map(\.mediaSequence) == [1_999 + load])
        }
        #expect(follower.rememberedCount <= 128)
    }

    /// The entries that have other texts in each load.
    enum Repeated: CaseIterable {
        /// Keys and initialization sections of segments that the next load skips.
        case keysOfSkippedSegments
        /// Breaks without dates, in a playlist without dates.
        case breaks
        /// Breaks that end in a thousand years, in a playlist with dates.
        case endlessBreaks
        /// Breaks without a start, in a playlist with dates.
        case undatedBreaks
    }

    /// The memory of the follower does not grow with the number of loads.
    @Test(arguments: Repeated.allCases) func memory_afterManyLoads_isLimited(repeated: Repeated) throws {
        var follower = PlaylistFollower()
        for load in 0..<400 {
            func long(_ number: Int) -> String { "\(load)-\(number)" + String(repeating: "x", count: 1_000) }
            var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6"]
            let dates = "START-DATE=\"2026-01-01T00:00:00Z\",END-DATE=\"3026-01-01T00:00:00Z\""
            switch repeated {
            case .keysOfSkippedSegments:
                let skipped = min(load, 200)
                lines += [
                    "#EXT-X-MEDIA-SEQUENCE:\(load - skipped)", "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)",
                ]
                for key in 0..<16 {
                    lines.append("#EXT-X-KEY:METHOD=X,URI=\"\(long(key))\",KEYFORMAT=\"\(key)\"")
                }
                lines.append("#EXT-X-MAP:URI=\"\(long(0))\"")
            case .breaks: lines += (0..<16).map { "#EXT-X-DATERANGE:ID=\"\(long($0))\",SCTE35-OUT=0x00" }
            case .endlessBreaks:
                lines += (0..<16).map { "#EXT-X-DATERANGE:ID=\"\(long($0))\",SCTE35-OUT=0x00,\(dates)" }
            case .undatedBreaks:
                lines += (0..<16).map { "#EXT-X-DATERANGE:ID=\"\(long($0))\",SCTE35-OUT=0x00" }
            }
            if repeated != .keysOfSkippedSegments { lines.append("#EXT-X-MEDIA-SEQUENCE:\(load)") }
            if repeated != .breaks { lines.append("#EXT-X-PROGRAM-DATE-TIME:2026-01-02T00:00:00Z") }
            lines += ["#EXTINF:6,", "\(load).ts"]
            let text = lines.joined(separator: "\n")
            guard case .media(let media) = try Playlist(parsing: Array(text.utf8).span) else { continue }
            _ = follower.observe(.playlist(media), at: .seconds(6 * load))
        }
        #expect(follower.rememberedByteCount < 400_000, "\(follower.rememberedByteCount)")
        #expect(follower.rememberedCount <= 128)
    }
}
