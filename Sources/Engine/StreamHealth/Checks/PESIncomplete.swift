import NielsenID3
import ID3v2

/// `carriage.pes-incomplete`: a PES packet does not end before its tag does, unless another one continues it.
struct PESIncomplete: SegmentCheck {
    static let declaration = CheckDeclaration(
        .pesIncomplete, worst: .fail,
        notRun: "No metadata PES packet was read.",
        expectation: "Every PES packet contains its whole tag",
        title: "A tag is truncated",
        meaning: """
            The PES packet ended before its tag did, and no other packet continues it. The partial tag is reported but
            not decoded: it is lost for every viewer.
            """,
        appearance: """
            The ID3 header declares more bytes than arrived. A Nielsen tag has 271 bytes in two transport packets;
            usually the second is missing, often at the end of a segment.
            """,
        cause: """
            A segmenter started a new segment between the two packets of the tag and dropped the rest; a transport
            packet was lost (then `carriage.continuity` warns too, mostly over UDP or with a full buffer); or the
            PES_packet_length is smaller than the tag.
            """,
        action: """
            If it is always at the end of a segment, the segmenter must keep the packets of one PES packet together. If
            it happens at random, look for packet loss: UDP counters, continuity errors on audio and video, and rate
            limits of the multiplexer.
            """)

    static let needsOnlyOwner = false

    /// Reports the truncated packets in which no Nielsen tag begins.
    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        let incompleteTags = content.tags.count { $0.occurrence.status(of: .complete) == .fail }
        let incomplete = content.facts.truncatedPESCount - incompleteTags
        if content.isTransportStream, content.facts.metadataPESCount > 0 { ledger.markRun(Self.id) }
        guard incomplete > 0 else { return }
        ledger.report(
            Self.id, .fail, at: content.place,
            "\(incomplete) PES packet\(incomplete == 1 ? "" : "s") of timed ID3 "
                + "\(incomplete == 1 ? "ends" : "end") before the tag does")
        ledger.count(Self.id, .fail, violations: incomplete - 1)
    }
}

extension PESIncomplete: TagCheck {
    static let rule = TagRule.complete

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        guard case .transportStream(let pid) = tag.carriage else {
            return "the container ends before the tag does"
        }
        return "the PES packets on PID \(pid) end before the tag does, and no packet continues it: "
            + "a packet was lost or the tag was truncated; it cannot be counted"
    }
}
