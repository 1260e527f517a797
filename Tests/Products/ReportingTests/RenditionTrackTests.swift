import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import Reporting

@Suite struct RenditionTrackTests {
    private func tag(isChecksumValid: Bool = true, segment: String? = "a.ts") throws -> TagOccurrence {
        try #require(
            SampleStream.tag(
                SampleStream.owner(
                    sequence: 50, first: 1_448_385_600, last: 1_448_385_609, isChecksumValid: isChecksumValid),
                at: 0, segment: segment))
    }

    @Test func invalidChecksum_isMarkedOnItsTag() throws {
        var track = RenditionTrack(name: nil)
        track.append(try tag(), audioDistance: nil)
        track.append(try tag(isChecksumValid: false), audioDistance: nil)
        #expect(track.tags.map(\.severity) == [.pass, .fail])
        #expect(track.tags.map { $0.problems.checks } == [[], [.tagChecksum]])
    }

    @Test func truncatedTag_isMarkedAsIncompletePES() throws {
        var track = RenditionTrack(name: nil)
        var partial = try tag()
        partial.isTruncated = true
        track.append(TagPolicy().checked(partial), audioDistance: nil)
        #expect(track.tags[0].kind == .truncated)
        #expect(track.tags[0].problems.contains(.pesIncomplete))
    }

    @Test func marks_keepTheWorstSeverity_andIgnoreInformation() throws {
        var track = RenditionTrack(name: nil)
        for _ in 0..<2 { track.append(try tag(), audioDistance: nil) }
        track.mark(.timeGap, .warn, tagIndex: 0)
        track.mark(.sequenceStep, .fail, tagIndex: 0)
        track.mark(.timeOverlap, .warn, tagIndex: 0)
        track.mark(.cidChange, .pass, tagIndex: 1)
        track.mark(.timeGap, .fail, tagIndex: 2)
        track.mark(.timeGap, .fail, tagIndex: -1)
        #expect(track.tags.map(\.severity) == [.fail, .pass])
        #expect(track.tags[0].problems.checks == [.sequenceStep, .timeGap, .timeOverlap])
        #expect(track.tags[1].problems.isEmpty)
    }

    @Test func findings_areMarkedInTheirRendition() throws {
        var finding = Verdicts.finding(.fail, segment: nil, seconds: 0, sequence: 1, tag: 0, "lost")
        finding.place.rendition = "v1"
        let outline = PresentationOutline(
            source: "main.m3u8", renditions: [.init(name: "v1"), .init(name: "v2")])
        var material = ReportMaterial(outline, for: .html)
        for rendition in [0, 1] {
            material.add(
                SegmentObservation(rendition: RenditionID(rendition), segment: nil, tags: [try tag()]))
        }
        material.mark([(check: .sequenceStep, finding: finding)])
        let tracks = material.finish(Verdicts.verdict()).tracks
        #expect(tracks.map { $0.tags[0].severity } == [.fail, .pass])
    }

    @Test func tagsBeyondTheLimit_areCounted() throws {
        var track = RenditionTrack(name: nil)
        let tag = try tag(segment: nil)
        for _ in 0..<RenditionTrack.maximumTags + 3 { track.append(tag, audioDistance: nil) }
        #expect(track.tags.count == RenditionTrack.maximumTags)
        #expect(track.tagCount == RenditionTrack.maximumTags + 3)
    }

    @Test func longSegmentName_isTruncatedInTheMiddle() throws {
        var track = RenditionTrack(name: nil)
        track.append(
            try tag(segment: "start" + String(repeating: "x", count: 5_000) + "end"), audioDistance: nil)
        let name = try #require(track.segmentNames.first)
        #expect(name.count <= RenditionTrack.longestName)
        #expect(name.hasPrefix("start") && name.hasSuffix("end"))
    }

    @Test func nonFiniteTimes_areUnknown() throws {
        var track = RenditionTrack(name: nil)
        var odd = try tag()
        odd.position = .nan
        odd.seconds = .infinity
        track.append(odd, audioDistance: .nan)
        track.append(ObservedSegment(name: nil, duration: .infinity, position: 0))
        #expect(track.tags[0].position == 0)
        #expect(track.tags[0].seconds == nil)
        #expect(track.tags[0].audioDistance == nil)
        #expect(track.segments.isEmpty)
    }
}
