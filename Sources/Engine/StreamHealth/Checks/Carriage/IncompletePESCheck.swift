import NielsenID3
import TimedMedia

/// `carriage.pes-incomplete`: no PES packet ends before its tag does, unless another one continues it.
struct IncompletePESCheck: SegmentCheck {
    static let id = CheckID.pesIncomplete
    static let absence = "No metadata PES packet was read."

    mutating func judge(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        var incomplete = reading.facts.truncatedPESCount
        if reading.isTransportStream, reading.facts.metadataPESCount > 0 || incomplete > 0 {
            ledger.look(Self.id)
        }
        for tag in reading.tags {
            guard case .transportStream(let pid) = tag.observed.carriage else { continue }
            ledger.look(Self.id)
            guard tag.observed.isTruncated else { continue }
            incomplete -= 1
            ledger.report(
                Self.id, .fail, at: tag.place,
                "the PES packets on PID \(pid) end before the tag does, and nothing continues it: "
                    + "a packet was lost or the tag was cut; it cannot be counted")
        }
        guard incomplete > 0 else { return }
        ledger.report(
            Self.id, .fail, at: reading.place,
            "\(incomplete) PES packet\(incomplete == 1 ? "" : "s") of timed ID3 "
                + "\(incomplete == 1 ? "ends" : "end") before the tag does")
        ledger.count(Self.id, .fail, hits: incomplete - 1)
    }
}
