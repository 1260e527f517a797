package import NielsenID3
import TimedMedia

extension CheckID {
    /// `carriage.continuity`.
    package static let continuity = CheckID("carriage.continuity")
}

/// `carriage.continuity`: the continuity counter of the ID3 PID steps by one inside a segment.
struct Continuity: SegmentCheck {
    static let declaration = CheckDeclaration(
        .continuity, worst: .warn,
        notRun: "No transport stream with timed ID3 was read.",
        expectation: "The continuity counter of the ID3 PID loses no packet",
        title: "The continuity counter of the ID3 stream is wrong",
        meaning: """
            The 4-bit counter of the metadata PID does not go up by one inside a segment: packets are missing, or were
            written by two sources. A strict demuxer drops the PES packet around the step, and the tag in it.
            """,
        appearance: """
            Counters such as 3, 4, 6. The same packet twice with the same counter is valid and is not reported. Between two
            segments any step is allowed.
            """,
        cause: """
            Packet loss on the way to the packager; a splicer or fail-over switch that joins two multiplexes; or an inserter
            that writes its packets into a finished stream with a counter of its own beside one that exists.
            """,
        action: """
            If audio and video have errors at the same places, repair the transport. If the metadata PID alone has them, the
            inserter and the multiplex both write on this PID, or the inserter does not keep its counter from call to call.
            """)

    mutating func check(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        guard reading.isTransportStream else { return }
        let errors = reading.facts.continuityErrors
        if reading.facts.metadataPESCount > 0 || errors.count > 0 { ledger.markRun(Self.id) }
        for error in errors.first {
            ledger.report(
                Self.id, .warn, at: reading.place,
                "at byte \(error.offset) the continuity counter of PID \(error.pid) is \(error.found), not "
                    + "\(error.expected): packets are missing before it")
        }
        ledger.count(Self.id, .warn, violations: errors.count - errors.first.count)
    }
}
