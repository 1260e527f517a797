import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import Reporting

@Suite struct TrackAnalysisTests {
    /// Returns a tag of a stream with a tag every ten seconds.
    ///
    /// Its position and its clock follow from `index`; its sequence number is `index` plus 50.
    private func tag(
        _ index: Int, kind: UInt8 = 2, clockAhead: Int = 0, pcCID: String = SampleStream.pcCID,
        isChecksumValid: Bool = true
    ) throws -> TagOccurrence {
        let first = UInt32(1_448_385_600 + index * 10 + clockAhead)
        return try #require(
            SampleStream.tag(
                SampleStream.owner(
                    kind: kind, sequence: UInt16(50 + index), first: first, last: first + 9, pcCID: pcCID,
                    isChecksumValid: isChecksumValid), at: Double(index * 10)))
    }

    private func analysis(
        _ tags: [TagOccurrence], discontinuityAt position: Double? = nil, unread: [Double] = [],
        findings: [(check: CheckID, tag: Int)] = []
    ) -> TrackAnalysis {
        var track = RenditionTrack(name: nil)
        var next = 0
        for start in stride(from: 0.0, to: 100, by: 10) {
            while next < tags.count, tags[next].position < start {
                track.append(tags[next], audioDistance: nil)
                next += 1
            }
            track.append(
                ObservedSegment(
                    name: nil, duration: 10, position: start, isDiscontinuity: start == position,
                    facts: unread.contains(start) ? nil : CarriageFacts()))
        }
        for tag in tags[next...] { track.append(tag, audioDistance: nil) }
        for finding in findings { track.mark(finding.check, .pass, tagIndex: finding.tag) }
        for finding in findings where finding.check != .cidChange {
            track.mark(finding.check, .warn, tagIndex: finding.tag)
        }
        return TrackAnalysis(track)
    }

    @Test func steadyTags_haveEvenSpacingAndNoDrift() throws {
        let analysis = analysis(try (0..<6).map { try tag($0) })
        #expect(analysis.spacing.map(\.value) == [10, 10, 10, 10, 10])
        #expect(analysis.drift.map(\.value) == [0, 0, 0, 0, 0, 0])
        #expect(analysis.gaps.isEmpty && analysis.sourceChanges.isEmpty && analysis.unread.isEmpty)
    }

    @Test func lostTags_areAGapOnlyWithAFinding() throws {
        let tags = try [0, 1, 4, 5].map { try tag($0) }
        #expect(analysis(tags).gaps.isEmpty)
        let analysis = analysis(tags, findings: [(.timeGap, 2)])
        #expect(analysis.spacing.map(\.value) == [10, 30, 10])
        #expect(analysis.gaps.map(\.from) == [10])
        #expect(analysis.gaps.map(\.to) == [40])
    }

    @Test func damagedTag_countsForSpacing_butNotForDrift() throws {
        let tags = try [tag(0), tag(1, isChecksumValid: false), tag(2)]
        let analysis = analysis(tags)
        #expect(analysis.spacing.map(\.value) == [10, 10])
        #expect(analysis.gaps.isEmpty)
        #expect(analysis.drift.map(\.tag) == [0, 2])
    }

    @Test func infoTag_betweenDataTags_isExcludedFromSpacing() throws {
        let analysis = analysis(try [tag(0), tag(1, kind: 1), tag(2)])
        #expect(analysis.spacing.map(\.value) == [20])
    }

    @Test func repeatedTag_countsOnce() throws {
        var copy = try tag(1)
        copy.position += 4
        let analysis = analysis(try [tag(0), tag(1), copy, tag(2)])
        #expect(analysis.spacing.map(\.value) == [10, 10])
    }

    @Test func fastClock_drifts() throws {
        let analysis = analysis(try (0..<4).map { try tag($0, clockAhead: $0) })
        #expect(analysis.drift.map(\.value) == [0, 1, 2, 3])
    }

    @Test func discontinuity_resetsTheDrift_andIsNotAGap() throws {
        let tags = try [tag(0), tag(1), tag(4, clockAhead: 20), tag(5, clockAhead: 21)]
        let analysis = analysis(tags, discontinuityAt: 40)
        #expect(analysis.drift.map(\.value) == [0, 0, 0, 1])
        #expect(analysis.gaps.isEmpty)
        #expect(analysis.discontinuities.map(\.position) == [40])
    }

    @Test func clockJump_resetsTheDrift() throws {
        let analysis = analysis(try [tag(0), tag(1), tag(2, clockAhead: 3_600), tag(3, clockAhead: 3_601)])
        #expect(analysis.drift.map(\.value) == [0, 0, 0, 1])
    }

    @Test func newContentID_isASourceChangeOnlyWithAFinding() throws {
        let tags = try [
            tag(0), tag(1, pcCID: SampleStream.nullCID), tag(2), tag(3, pcCID: SampleStream.otherCID),
        ]
        #expect(analysis(tags).sourceChanges.isEmpty)
        #expect(analysis(tags, findings: [(.cidChange, 3)]).sourceChanges.map(\.position) == [30])
    }

    @Test func adjacentUnreadSegments_areOneRange() throws {
        let analysis = analysis([try tag(0)], unread: [20, 30, 60])
        #expect(analysis.unread.map(\.from) == [20, 60])
        #expect(analysis.unread.map(\.to) == [40, 70])
    }
}
