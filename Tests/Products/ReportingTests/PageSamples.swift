import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import Reporting

/// Sample reports with tags, for pages.
enum PageSamples {
    private static let first: UInt32 = 1_448_385_600

    /// Returns ten-second tags with an INFO tag every five minutes, and with a fault of each kind if `isDamaged`.
    static func track(
        _ name: String? = nil, tags count: Int, isDamaged: Bool = false, segmentName: (Int) -> String
    ) -> RenditionTrack {
        var track = RenditionTrack(name: name)
        var sequence: UInt16 = 50
        let discontinuity = count / 2
        for index in 0..<count {
            let position = Double(index * 10)
            for part in 0..<2 {
                let isLost = isDamaged && (index * 2 + part) / 3 == count / 5
                track.append(
                    ObservedSegment(
                        name: segmentName(index * 2 + part), duration: 5,
                        position: position + Double(part * 5),
                        isDiscontinuity: isDamaged && index == discontinuity && part == 0,
                        facts: isLost ? nil : CarriageFacts()))
            }
            if isDamaged, (count / 5..<count / 5 + 2).contains(index) {
                sequence &+= 1
                continue
            }
            var start = first + UInt32(index * 10)
            // After the discontinuity, the transcoder runs too fast and the tag clock drifts.
            if isDamaged, index > discontinuity { start += UInt32((index - discontinuity) * 3 / 8) }
            if isDamaged, index == discontinuity + count / 4 { start -= 3 }
            let cid = isDamaged && index > discontinuity ? SampleStream.otherCID : SampleStream.pcCID
            let owners =
                (index % 30 == 3
                    ? [
                        SampleStream.owner(
                            kind: 1, sequence: sequence &+ 1, first: start, last: start,
                            pcCID: SampleStream.nullCID, fdCID: SampleStream.nullCID)
                    ] : [])
            let jitter = Double((index &* 7_919) % 13) / 10
            if let tag = SampleStream.tag(
                SampleStream.owner(
                    sequence: sequence, first: start, last: start + 9, pcCID: cid,
                    offset: index * 10 % 86_400,
                    isChecksumValid: !(isDamaged && index % 37 == 11)),
                at: position + jitter, segment: segmentName(index * 2))
            {
                track.append(tag, audioDistance: AudioDistance.seconds(of: tag, in: nil))
            }
            for owner in owners {
                sequence &+= 1
                if let tag = SampleStream.tag(owner, at: position + 5, segment: segmentName(index * 2 + 1)) {
                    track.append(tag, audioDistance: AudioDistance.seconds(of: tag, in: nil))
                }
            }
            sequence &+= 1
        }
        return track
    }

    /// Returns a report of 40 minutes with gaps, a drift, lost segments and wrong checksums.
    static func damaged() -> HealthReport {
        var track = track(tags: 240, isDamaged: true) { "seg\(100_000 + $0).ts" }
        for (index, tag) in track.tags.enumerated() where tag.kind == .data {
            if index == 49 {
                track.mark(.sequenceStep, .fail, tagIndex: index)
                track.mark(.timeGap, .fail, tagIndex: index)
            }
            if index == 123 { track.mark(.cidChange, .pass, tagIndex: index) }
            if index % 53 == 20 { track.mark(.timeOverlap, .warn, tagIndex: index) }
        }
        var verdict = Verdicts.damaged
        verdict.duration = 2_400
        verdict.segmentCount = 480
        verdict.tags.data = 238
        verdict.tags.info = 8
        return HealthReport(verdict: verdict, tracks: [track])
    }

    /// Returns a report of three renditions; the second has faults, and lacks some tags and segments.
    static func renditions() -> HealthReport {
        var verdict = Verdicts.verdict(
            outcomes: [CheckOutcome(id: .renditionTagsDiffer, status: .fail, count: 1)],
            renditions: ["v1080/index.m3u8", "v720/index.m3u8", "audio/en/index.m3u8"])
        verdict.duration = 600
        let tracks = verdict.renditions.enumerated().map { index, name in
            track(name, tags: 60, isDamaged: index == 1) { "seg\($0).ts" }
        }
        return HealthReport(verdict: verdict, tracks: tracks)
    }

    /// Returns a report of a stream whose names try to inject markup into the page.
    static func hostile() -> HealthReport {
        let name = Verdicts.hostile.source
        return HealthReport(
            verdict: Verdicts.hostile, tracks: [track(name, tags: 12) { _ in name }])
    }

    /// Returns a report of a stream with the given number of ten-second tags.
    static func long(tags: Int) -> HealthReport {
        let track = track(tags: tags, isDamaged: true) { "seg\($0).ts" }
        var verdict = Verdicts.damaged
        verdict.duration = Double(tags * 10)
        verdict.segmentCount = tags * 2
        verdict.tags.data = track.tags.count
        return HealthReport(verdict: verdict, tracks: [track])
    }
}

extension PageSamples {
    struct Unknown: Error {}

    /// Returns the sample with a name that the tests, and the script for screenshots, use.
    static func named(_ name: String) throws -> [HealthReport] {
        switch name {
        case "damaged": [damaged()]
        case "renditions": [renditions()]
        case "hostile": [hostile()]
        case "long": [long(tags: 100_000)]
        case "several": [damaged(), renditions(), HealthReport(verdict: Verdicts.verdict())]
        case "none": []
        default: throw Unknown()
        }
    }
}
