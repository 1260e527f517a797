package import NielsenID3
import ID3v2

extension CheckID {
    /// `carriage.continuity`.
    package static let continuity = CheckID("carriage.continuity")
}

/// `carriage.continuity`: the continuity counter of the ID3 PID increments by one within a segment.
struct Continuity: SegmentCheck {
    static let declaration = CheckDeclaration(
        .continuity, worst: .warn,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The continuity counter of the ID3 PID shows no packet loss",
        title: "The ID3 stream has continuity counter errors",
        meaning: """
            The 4-bit counter of the metadata PID does not increment by one within a segment: packets are missing, two
            sources write to the PID, or the multiplexer counts incorrectly. A strict demuxer drops the PES packet at
            the error, and the tag in it.
            """,
        appearance: """
            Counter values such as 3, 4, 6. A counter that stands still, or that also counts packets without payload,
            is reported too, but no packet is missing, so the tags are kept. A repeated packet with the same counter is
            valid and is not reported. Between two segments any step is allowed.
            """,
        cause: """
            Packet loss on the way to the packager; a splicer or fail-over switch that joins two multiplexes; or an
            inserter that adds packets to a finished stream whose PID already has a counter.
            """,
        action: """
            If audio and video have errors at the same places, repair the transport. If only the metadata PID has
            errors, either the inserter and the multiplexer both write to this PID, or the inserter does not keep its
            counter between calls.
            """)

    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        guard content.isTransportStream else { return }
        let errors = content.facts.continuityErrors
        if content.facts.metadataPESCount > 0 || errors.count > 0 { ledger.markRun(Self.id) }
        for error in errors.first {
            ledger.report(
                Self.id, .warn, at: content.place,
                "at byte \(error.offset) the continuity counter of PID \(error.pid) is \(error.found), not "
                    + "\(error.expected): packets are missing before it, or the counter is wrong")
        }
        ledger.count(Self.id, .warn, violations: errors.count - errors.first.count)
    }
}
