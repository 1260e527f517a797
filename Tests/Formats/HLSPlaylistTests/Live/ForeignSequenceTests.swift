import HLSPlaylist
import Testing

/// The situations in which other programs test their handling of live playlists, written as our own data.
///
/// They come from `oscnord/hls-monitor` and `Eyevinn/hls-monitor` (which share most of them) and from Shaka Player. If
/// a test expects more or fewer results than the original, its comment gives the reason from RFC 8216.
@Suite struct ForeignSequenceTests {
    // MARK: The two monitors

    /// A version that numbers its segments one too high.
    ///
    /// Both monitors report a wrong first segment and continue by number, which would read `s2` twice. A number
    /// identifies a segment (3), but it must also keep its segment (6.2.1). Known names with new numbers are not read
    /// again.
    @Test func segments_numberedOneTooHigh_areReportedAndNotReadTwice() throws {
        expectSequence([
            try Step("0 | s0 s1", new: [0, 1]), try Step("1 | s1 s2", new: [2]),
            try Step(
                "2 | s1 s2", new: [], events: [.segmentReplaced(mediaSequence: 2, from: "s2.ts", to: "s1.ts")]
            ),
            try Step("3 | s2 s3", new: [4]),
        ])
    }

    @Test func window_slidingWithoutANewMediaSequence_isReportedAndReadOnce() throws {
        expectSequence([
            try Step("0 | s0 s1", new: [0, 1]), try Step("1 | s1 s2", new: [2]),
            try Step("2 | s2 s3", new: [3]),
            try Step(
                "2 | s3 s4", new: [3],
                events: [.segmentReplaced(mediaSequence: 2, from: "s2.ts", to: "s3.ts")]),
        ])
    }

    @Test func playlist_thatLosesItsLastSegment_isReportedAsSequenceBack() throws {
        expectSequence([
            try Step("10 | s0 s1 s2", new: [10, 11, 12]), try Step("11 | s1 s2 s3", new: [13]),
            try Step("12 | s2 s3 s4", new: [14]), try Step("12 | s2 s3 s4 s5", new: [15]),
            try Step("13 | s3 s4 s5 s6 s7", new: [16, 17]),
            try Step("13 | s3 s4 s5 s6", new: [], events: [.sequenceBack(newest: 17, found: 13)]),
        ])
    }

    @Test func mediaSequence_thatGoesBackByOne_isReported() throws {
        expectSequence([
            try Step("0 | s0 s1", new: [0, 1]), try Step("1 | s1 s2", new: [2]),
            try Step("3 | s3 s4", new: [3, 4]),
            try Step("2 | s2 s3", new: [], events: [.sequenceBack(newest: 4, found: 2)]),
        ])
    }

    @Test func discontinuitySequence_thatIncreasesTooMuch_isReported() throws {
        expectSequence([
            try Step("0 | s0 s1", discontinuities: 10, new: [0, 1]),
            try Step("1 | s1 !o1", discontinuities: 10, new: [2]),
            try Step("2 | !o1 o2", discontinuities: 10, new: [3]),
            try Step(
                "3 | o2 o3", discontinuities: 12, new: [4],
                events: [.discontinuitySequence(mediaSequence: 3, expected: 11, found: 12)]),
        ])
    }

    @Test func discontinuitySequence_thatDoesNotIncrease_isReportedOnce() throws {
        expectSequence([
            try Step("0 | s0 s1", discontinuities: 10, new: [0, 1]),
            try Step("1 | s1 !o1", discontinuities: 10, new: [2]),
            try Step("2 | !o1 o2", discontinuities: 10, new: [3]),
            try Step(
                "3 | o2 o3", discontinuities: 10, new: [4],
                events: [.discontinuitySequence(mediaSequence: 3, expected: 11, found: 10)]),
            // The same error as before, which was already reported.
            try Step("4 | o3 o4", discontinuities: 10, new: [5]),
        ])
    }

    @Test func discontinuitySequence_thatIncreasesBeforeItsTagIsRemoved_isReported() throws {
        expectSequence([
            try Step("20 | s0 s1", discontinuities: 10, new: [20, 21]),
            try Step("21 | s1 !o1", discontinuities: 10, new: [22]),
            try Step(
                "22 | !o1 o2", discontinuities: 11, new: [23],
                events: [.discontinuitySequence(mediaSequence: 22, expected: 11, found: 12)]),
            try Step("23 | o2 o3", discontinuities: 11, new: [24]),
        ])
    }

    /// A name that occurs again with the next number is read again: playlists repeat a slate in this way, and the
    /// number identifies another segment.
    @Test func discontinuitySequence_thatIncreasesWithANewTag_isReported() throws {
        expectSequence([
            try Step("20 | s0 s1 s2", discontinuities: 10, new: [20, 21, 22]),
            try Step(
                "21 | s1 s2 !)o1", discontinuities: 11, new: [23],
                events: [.discontinuitySequence(mediaSequence: 21, expected: 10, found: 11)]),
            try Step("24 | )o1 o2", discontinuities: 11, new: [24, 25]),
            try Step("25 | o2 o3", discontinuities: 11, new: [26]),
        ])
    }

    @Test func discontinuities_removedInLargeSteps_areCounted() throws {
        expectSequence([
            try Step("19 | s00 s0 !n0 n1 !o0", discontinuities: 10, new: [19, 20, 21, 22, 23]),
            try Step("20 | s0 !n0 n1 !o0 o1", discontinuities: 10, new: [24]),
            try Step("23 | !o0 o1 o2 o3 o4", discontinuities: 11, new: [25, 26, 27]),
        ])
    }

    @Test func discontinuities_aroundABreak_areCounted() throws {
        expectSequence([
            try Step("19 | v0 v1 !slate !n0 !(l0", discontinuities: 10, new: [19, 20, 21, 22, 23]),
            try Step("20 | v1 !slate !n0 !(l0 l1", discontinuities: 10, new: [24]),
            try Step("23 | !(l0 l1 l2 l3", discontinuities: 12, new: [25, 26]),
            try Step("24 | l1 l2 l3 l4", discontinuities: 13, new: [27]),
        ])
    }

    /// Both monitors accept this, because they check only discontinuities.
    ///
    /// A server removes segments only from the start, one after the other (6.2.2), so the missing numbers are reported.
    /// The listed segments are read by number: without dates, nothing shows that two of the names are known.
    @Test func mediaSequence_thatJumpsByAHundred_isAGap() throws {
        expectSequence([
            try Step("19 | v0 v1 !slate !n0 !(l0", discontinuities: 10, new: [19, 20, 21, 22, 23]),
            try Step("20 | v1 !slate !n0 !(l0 l1", discontinuities: 10, new: [24]),
            try Step(
                "123 | !(l0 l1 l2 l3", discontinuities: 12, new: [123, 124, 125, 126],
                events: [.sequenceGap(expected: 25, found: 123)]),
            try Step("124 | l1 l2 l3 l4", discontinuities: 13, new: [127]),
        ])
    }

    @Test func mediaSequence_thatJumpsToOtherSegments_isAGap() throws {
        expectSequence([
            try Step("100 | a b c", new: [100, 101, 102]),
            try Step("200 | x y z", new: [200, 201, 202], events: [.sequenceGap(expected: 103, found: 200)]),
        ])
    }

    @Test func overlongSegment_isReportedOnce() throws {
        expectSequence([
            try Step(
                "100 | a", target: 7, seconds: 7.5, new: [100],
                events: [.segmentTooLong(mediaSequence: 100, seconds: 7.5, targetDuration: 7)]),
            try Step("100 | a", target: 7, seconds: 7.5, new: []),
        ])
    }

    /// Both monitors report each EXT-X-GAP.
    ///
    /// With this tag, a server marks a segment that it could not produce (second edition, 4.4.4.7). It breaks no rule,
    /// and the segment is returned as a gap.
    @Test func gapSegment_causesNoEvent() throws {
        expectSequence([try Step("100 | a ~b", new: [100, 101])])
    }

    @Test func break_whoseTagIsRemoved_continuesUntilItsEnd() throws {
        var follower = PlaylistFollower()
        let versions = ["0 | a0 a1", "1 | a1 !(ad0", "2 | !(ad0 ad1", "3 | ad1 !)a2"]
        var breaks: [Bool] = []
        for (index, version) in versions.enumerated() {
            let load = PlaylistLoad.playlist(try livePlaylist(version))
            breaks += follower.observe(load, at: .seconds(10 * index)).newSegments.map(\.isInBreak)
        }
        #expect(breaks == [false, false, true, true, false])
    }

    // MARK: Shaka Player

    @Test(arguments: [["#EXT-X-PLAYLIST-TYPE:EVENT"], []])
    func appendedSegments_areReturned(lines: [String]) throws {
        expectSequence([
            try Step("| main", lines: lines, new: [0]), try Step("| main main2", lines: lines, new: [1]),
            try Step("| main main2 main3", lines: lines, new: [2]),
        ])
    }

    @Test func removedSegments_causeNoEvent() throws {
        expectSequence([try Step("0 | main main2", new: [0, 1]), try Step("1 | main2", new: [])])
    }

    @Test func redirectedPlaylist_isReadWithoutRepeatingSegments() throws {
        expectSequence([
            try Step("0 | main", new: [0]), try Step("0 | redirected/main redirected/main2", new: [1]),
        ])
    }

    @Test func eventPlaylist_withEndlist_isEnded() throws {
        var follower = PlaylistFollower()
        let lines = ["#EXT-X-PLAYLIST-TYPE:EVENT"]
        #expect(!follower.observe(.playlist(try livePlaylist("| main", lines: lines)), at: .zero).isEnded)
        let last = try livePlaylist("| main main2", lines: lines + ["#EXT-X-ENDLIST"])
        let update = follower.observe(.playlist(last), at: .seconds(10))
        #expect(update.isEnded)
        #expect(update.newSegments.map(\.mediaSequence) == [1])
    }

    @Test func playlist_withAThousandSegmentsOfOneName_isReadCompletely() throws {
        let names = Array(repeating: "main", count: 1_000).joined(separator: " ")
        expectSequence([
            try Step("0 | " + names, new: Array(0..<1_000)), try Step("0 | " + names + " main", new: [1_000]),
        ])
    }
}
