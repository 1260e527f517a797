import NielsenID3
import StreamHealth

/// Handmade verdicts; `Golden/` contains a report of them in every format.
enum Verdicts {
    /// Returns a verdict on every check: `outcomes` replace those with the same id, and the others passed.
    static func verdict(
        source: String = "media/demo/index.m3u8", outcomes: [CheckOutcome] = [],
        renditions: [String] = [], policy: HealthPolicy = HealthPolicy()
    ) -> HealthVerdict {
        var tags = HealthVerdict.TagCounts()
        tags.data = 12
        tags.info = 1
        tags.otherOwner = 3
        let given = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.id, $0) })
        return HealthVerdict(
            source: source, duration: 120, segmentCount: 20, failedSegmentCount: 0, tags: tags,
            renditions: renditions,
            outcomes: CheckID.all.map { given[$0] ?? CheckOutcome(id: $0, status: .pass) },
            policy: policy)
    }

    /// The verdict on a stream with a wrong checksum, a lost tag with its consequence, and checks that had nothing to
    /// examine.
    static var damaged: HealthVerdict {
        var policy = HealthPolicy()
        policy[.gap] = 12
        policy[.renditionTime] = 0.25
        var damaged = verdict(
            outcomes: [
                CheckOutcome(
                    id: .tagChecksum, status: .fail, count: 1,
                    findings: [
                        finding(
                            .fail, segment: "seg00003.ts", seconds: 18, sequence: 52, tag: 2,
                            "stored 0x3b83, computed 0x3b84")
                    ]),
                CheckOutcome(
                    id: .sequenceStep, status: .fail, count: 2,
                    findings: [lostTag, repeatedTag]),
                CheckOutcome(
                    id: .timeGap, status: .warn, count: 61, limit: .init(value: 12, unit: "s"),
                    findings: [
                        finding(
                            .warn, segment: "seg00009.ts", seconds: 57.6, sequence: 58, tag: 6,
                            "14 s from the last time of tag 57 to the first of tag 58; at most 12 s: "
                                + "the encoder heard no watermark, as in an advertisement without one")
                    ]),
                CheckOutcome(
                    id: .cidChange, status: .pass, count: 1,
                    findings: [
                        finding(
                            .pass, segment: "seg00011.ts", seconds: 66, sequence: 59, tag: 7,
                            "the PC CID changes: another source, or the day start at 3 a.m.")
                    ]),
                CheckOutcome(
                    id: .timeRate, status: .pass, limit: .init(value: 2, unit: "s")),
                CheckOutcome(
                    id: .emsgForm, status: .notRun, reason: "the stream has no event message boxes"),
                CheckOutcome(
                    id: .presenceSilent, status: .notRun,
                    reason: "the input is recorded, and the silence of a live stream is found with a "
                        + "wall clock"),
            ], policy: policy)
        // The gap that results from the lost tag is counted here, and listed with the lost tag.
        for index in damaged.outcomes.indices where damaged.outcomes[index].id == .timeGap {
            damaged.outcomes[index].consequenceCount = 1
        }
        damaged.tags.unknown = 1
        damaged.failedSegmentCount = 1
        return damaged
    }

    /// A verdict whose texts all try to break out of the format of the report.
    static var hostile: HealthVerdict {
        let name = "</script><script>alert(1)</script>&\"'\u{1B}[31m\u{0}\u{202E}\u{FFFE},\n]]><!--.ts"
        return verdict(
            source: name,
            outcomes: [
                CheckOutcome(
                    id: .tagFormat, status: .fail, count: 1,
                    findings: [finding(.fail, segment: name, seconds: 1, sequence: 1, tag: 0, name)]),
                CheckOutcome(id: .emsgForm, status: .notRun, reason: name),
            ], renditions: [name])
    }

    private static var lostTag: Finding {
        var finding = finding(
            .fail, segment: "seg00006.ts", seconds: 38.4, sequence: 55, tag: 4,
            "55 follows 53: one tag was lost")
        finding.consequences = [.init(check: .timeGap, detail: "11 s between the two tags")]
        return finding
    }

    private static var repeatedTag: Finding {
        finding(
            .warn, segment: "seg00007.ts", seconds: 43.2, sequence: 55, tag: 5,
            "the same bytes as 4.8 s before")
    }

    static func finding(
        _ status: CheckStatus, segment: String?, seconds: Double, sequence: UInt16, tag: Int,
        _ detail: String
    ) -> Finding {
        var place = Finding.Place()
        place.segment = segment
        place.seconds = seconds
        place.position = seconds
        place.sequence = sequence
        place.tagIndex = tag
        return Finding(status: status, place: place, detail: detail)
    }
}
