package import NielsenID3
import TimedMedia

extension CheckID {
    /// `carriage.pes-incomplete`.
    package static let pesIncomplete = CheckID("carriage.pes-incomplete")
}

/// `carriage.pes-incomplete`: no PES packet ends before its tag does, unless another one continues it.
struct PESIncomplete: SegmentCheck {
    static let declaration = CheckDeclaration(
        .pesIncomplete, worst: .fail,
        notRun: "No metadata PES packet was read.",
        expectation: "Every PES packet holds its tag to the end",
        title: "A tag is truncated",
        meaning: """
            The PES packet ended before its tag did, and nothing continues it. What is left is reported and not decoded:
            this tag is lost for every viewer.
            """,
        appearance: """
            The ID3 header declares more bytes than came; a Nielsen tag has 271 of them in two transport packets, and
            it is usually the second that is missing, often at the end of a segment.
            """,
        cause: """
            A segmenter started a new segment between the two packets of the tag and dropped the rest; a transport packet was lost on the
            way (then `carriage.continuity` warns too, mostly over UDP or a full buffer); or a PES_packet_length was
            written that is smaller than the tag.
            """,
        action: """
            If it is always at the end of a segment, the segmenter must keep the packets of one PES packet together. Where it
            happens at random, look for loss: UDP counters, continuity errors on audio and video, rate limits of the
            multiplex.
            """)

    static let needsOnlyOwner = false

    /// The packets in which no Nielsen tag begins.
    mutating func check(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        let incompleteTags = reading.tags.count { Self.check($0.occurrence, by: HealthPolicy()).isViolation }
        let incomplete = reading.facts.truncatedPESCount - incompleteTags
        if reading.isTransportStream, reading.facts.metadataPESCount > 0 { ledger.markRun(Self.id) }
        guard incomplete > 0 else { return }
        ledger.report(
            Self.id, .fail, at: reading.place,
            "\(incomplete) PES packet\(incomplete == 1 ? "" : "s") of timed ID3 "
                + "\(incomplete == 1 ? "ends" : "end") before the tag does")
        ledger.count(Self.id, .fail, violations: incomplete - 1)
    }
}

extension PESIncomplete: TagCheck {
    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        guard case .transportStream(let pid) = tag.carriage else { return .notRun }
        guard tag.isTruncated else { return .pass }
        return .violation(
            .fail,
            "the PES packets on PID \(pid) end before the tag does, and nothing continues it: "
                + "a packet was lost or the tag was truncated; it cannot be counted")
    }
}
