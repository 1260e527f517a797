import NielsenID3
import TimedMedia

/// `carriage.pts-missing`: each metadata PES packet in which a tag begins has a PTS.
struct PresentationTimeCheck: SegmentCheck {
    static let id = CheckID.ptsMissing
    static let absence = "No metadata PES packet was read."

    mutating func judge(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        guard reading.isTransportStream else { return }
        var missing = reading.facts.missingPTSCount
        if reading.facts.metadataPESCount > 0 || missing > 0 { ledger.look(Self.id) }
        for tag in reading.tags {
            guard case .transportStream(let pid) = tag.observed.carriage else { continue }
            ledger.look(Self.id)
            guard tag.observed.time == nil else { continue }
            missing -= 1
            ledger.report(
                Self.id, .fail, at: tag.place,
                "the PES packet on PID \(pid) in which the tag begins has no PTS: no player can tell when it is due"
            )
        }
        // The rest are packets of other owners' tags, or of repeats.
        guard missing > 0 else { return }
        ledger.report(
            Self.id, .fail, at: reading.place,
            "\(missing) metadata PES packet\(missing == 1 ? "" : "s") in which another tag begins "
                + "\(missing == 1 ? "has" : "have") no PTS")
        ledger.count(Self.id, .fail, hits: missing - 1)
    }
}
