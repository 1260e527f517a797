import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// `rendition.time-differs` with tags aligned by position.
@Suite struct RenditionComparisonTimeTests {
    private typealias Presentation = ComparedPresentation

    /// Up to 45,000 ticks (half a second) pass; one tick more fails, in both directions.
    @Test func tag_movedBeyondLimit_fails() throws {
        for ticks in [
            0, 1, 44_999, 45_000, 45_001, 90_000, 2_700_000, -1, -44_999, -45_000, -45_001, -2_700_000,
        ] {
            for order in Presentation.Order.allCases {
                var moved = Presentation.tags
                moved[6] = moved[6].moved(by: ticks)
                moved.sort { $0.position < $1.position }
                let outcomes = try Presentation.compare([Presentation.tags, moved], order: order)
                #expect(outcomes.tagsDiffer.status == .pass, "\(ticks)")
                let outcome = outcomes.timeDiffers
                #expect(outcome.status == (ticks.magnitude > 45_000 ? .fail : .pass), "\(ticks)")
                #expect(outcome.count == (ticks.magnitude > 45_000 ? 1 : 0), "\(ticks)")
                #expect(outcome.findings.allSatisfy { $0.place.rendition == "v1" && $0.place.sequence == 56 })
            }
        }
    }

    @Test func finding_statesDistanceAndClock() throws {
        var moved = Presentation.tags
        moved[6] = moved[6].moved(by: 45_001)
        let finding = try #require(
            try Presentation.compare([Presentation.tags, moved]).timeDiffers.findings.first)
        #expect(
            finding.detail
                == "DATA tag 56 is 0.50001 s after its position in v0 (presentation time); the limit is 0.5 s."
        )
        moved[6] = Presentation.tags[6].moved(by: -108_000)
        let before = try #require(
            try Presentation.compare([Presentation.tags, moved]).timeDiffers.findings.first)
        #expect(
            before.detail
                == "DATA tag 56 is 1.2 s before its position in v0 (presentation time); the limit is 0.5 s.")
    }

    @Test func limit_setByPolicy_isApplied() throws {
        var policy = HealthPolicy()
        policy[.renditionTime] = 2
        for (ticks, status) in [(180_000, CheckStatus.pass), (180_001, .fail)] {
            let moved = Presentation.tags.map { $0.moved(by: ticks) }
            let outcome = try Presentation.compare([Presentation.tags, moved], policy: policy).timeDiffers
            #expect(outcome.status == status)
            #expect(outcome.limit?.value == 2)
        }
    }

    /// HLS requires aligned timestamps of renditions, so a constant distance is a finding for every tag.
    @Test func constantOffset_failsForEveryTag() throws {
        let moved = Presentation.tags.map { tag in
            var tag = tag
            tag.pts = tag.pts.map { $0 + 900_000 }
            return tag
        }
        let outcome = try Presentation.compare([Presentation.tags, moved]).timeDiffers
        #expect(outcome.count == 12)
        #expect(outcome.findings.allSatisfy { $0.detail.contains("is 10 s after") })
    }

    /// The rendition that differs from the others is named.
    @Test func rendition_deviatingFromSeveralOthers_isNamed() throws {
        for different in 0..<4 {
            var renditions = Array(repeating: Presentation.tags, count: 4)
            renditions[different][3] = renditions[different][3].moved(by: 90_000)
            let outcome = try Presentation.compare(renditions).timeDiffers
            #expect(outcome.findings.map(\.place.rendition) == ["v\(different)"])
        }
    }

    /// The distance is that of the ticks even if the timeline of one rendition continues over the wrap and that of the
    /// other begins after it.
    @Test func distance_acrossPTSWraps_isComputedFromTicks() throws {
        let period = Double(MediaTimestamp.transportPeriod) / 90_000
        for rounds in [-2.0, -1, 0, 1, 2] {
            for (ticks, isBeyond) in [(0, false), (45_000, false), (45_001, true), (-45_001, true)] {
                for place in stride(from: period - 60, through: period + 60, by: 10) {
                    var one = ComparedTag(1, at: 30)
                    one.pts = UInt64(place * 90_000)
                    one.seconds = place
                    var other = one
                    other.seconds = place + Double(ticks) / 90_000 + rounds * period
                    let outcome = try Presentation.compare([[one], [other]]).timeDiffers
                    #expect(outcome.status == (isBeyond ? .fail : .pass), "\(rounds) \(ticks) \(place)")
                }
            }
        }
    }

    /// After a discontinuity, both timelines restart at the same position.
    @Test func discontinuity_inBothRenditions_causesNoDistance() throws {
        let restarted = Presentation.tags.map { tag in
            var tag = tag
            if tag.position > 60 { tag.pts = UInt64((tag.position - 60) * 90_000) }
            return tag
        }
        #expect(try Presentation.compare([restarted, restarted]).timeDiffers.status == .pass)
        let outcome = try Presentation.compare([Presentation.tags, restarted]).timeDiffers
        #expect(outcome.count == 6)
    }

    /// Tags on different clocks can be compared only by their positions in the presentation.
    @Test func tags_onDifferentClocks_areComparedByPosition() throws {
        let message = Carriage.EventMessage(
            schemeIDURI: "https://aomedia.org/emsg/ID3", value: "", version: 1, id: 1, duration: nil)
        let mpeg: [Carriage] = [.transportStream(pid: 258), .packedAudio, .segmentFront]
        for (ticks, isBeyond) in [(45_000, false), (45_009, true), (-45_009, true)] {
            for carriage in mpeg {
                let fragmented = Presentation.tags.map { tag in
                    var tag = tag.moved(by: ticks)
                    tag.carriage = .eventMessage(message)
                    tag.pts = UInt64(tag.position * 90_000)
                    return tag
                }
                var transport = Presentation.tags
                for index in transport.indices { transport[index].carriage = carriage }
                let outcome = try Presentation.compare([transport, fragmented]).timeDiffers
                #expect(outcome.count == (isBeyond ? 12 : 0), "\(ticks)")
                if isBeyond { #expect(outcome.findings[0].detail.contains("media time")) }
                // The carriages on the MPEG-2 clock can be compared with one another.
                #expect(try Presentation.compare([transport, Presentation.tags]).timeDiffers.status == .pass)
            }
            var timeless = Presentation.tags.map { $0.moved(by: ticks) }
            for index in timeless.indices { timeless[index].pts = nil }
            let outcome = try Presentation.compare([Presentation.tags, timeless]).timeDiffers
            #expect(outcome.count == (isBeyond ? 12 : 0), "\(ticks)")
        }
    }

    /// A repeat may be on either side, with up to four occurrences of a tag: the nearest positions are compared.
    @Test func repeats_areComparedAtNearestPositions() throws {
        for delays in [[6.0], [6, 12], [6, 12, 18]] {
            let repeats = delays.map { ComparedTag(52, at: 25 + $0) }
            let with = (Presentation.tags + repeats).sorted { $0.position < $1.position }
            for renditions in [[with, Presentation.tags], [Presentation.tags, with], [with, with]] {
                #expect(try Presentation.compare(renditions).timeDiffers.status == .pass)
            }
            // Only the last of the repeats remains.
            var last = Presentation.tags
            last[2] = last[2].moved(by: Int((delays.last ?? 0) * 90_000))
            last.sort { $0.position < $1.position }
            #expect(try Presentation.compare([with, last]).timeDiffers.status == .pass)
            #expect(try Presentation.compare([Presentation.tags, last]).timeDiffers.count == 1)
        }
    }

    /// Up to 60 s away, it is the same tag at another time; beyond that, a tag is missing in each rendition.
    @Test func tag_movedBeyondRepeatWindow_isReportedMissing() throws {
        for (seconds, isSame) in [(59, true), (60, true), (61, false)] {
            var moved = Presentation.tags
            moved[2] = moved[2].moved(by: seconds * 90_000)
            moved.sort { $0.position < $1.position }
            for order in Presentation.Order.allCases {
                let outcomes = try Presentation.compare([Presentation.tags, moved], order: order)
                #expect(outcomes.timeDiffers.count == (isSame ? 1 : 0))
                #expect(outcomes.tagsDiffer.count == (isSame ? 0 : 2))
            }
        }
    }
}
