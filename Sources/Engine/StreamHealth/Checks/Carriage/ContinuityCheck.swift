import TimedMedia

/// `carriage.continuity`: the continuity counter of the ID3 PID steps by one inside a segment.
struct ContinuityCheck: SegmentCheck {
    static let id = CheckID.continuity
    static let absence = "No transport stream with timed ID3 was read."

    mutating func judge(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        guard reading.isTransportStream else { return }
        let errors = reading.facts.continuityErrors
        if reading.facts.metadataPESCount > 0 || errors.count > 0 { ledger.look(Self.id) }
        for error in errors.first {
            ledger.report(
                Self.id, .warn, at: reading.place,
                "at byte \(error.offset) the continuity counter of PID \(error.pid) is \(error.found), not "
                    + "\(error.expected): packets are missing before it")
        }
        ledger.count(Self.id, .warn, hits: errors.count - errors.first.count)
    }
}
