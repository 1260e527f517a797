package import NielsenID3
import TimedMedia

extension CheckID {
    /// `carriage.pts-missing`.
    package static let ptsMissing = CheckID("carriage.pts-missing")
}

/// `carriage.pts-missing`: each metadata PES packet in which a tag begins has a PTS.
struct PTSMissing: SegmentCheck {
    static let declaration = CheckDeclaration(
        .ptsMissing, worst: .fail,
        notRun: "No metadata PES packet was read.",
        expectation: "Every PES packet in which a tag begins has a PTS",
        title: "A tag has no presentation time",
        meaning: """
            A metadata PES packet in which a tag begins has no PTS. A player cannot tell when the tag is due: it drops it,
            or delivers it at once, and the credit goes to the wrong moment or to nobody.
            """,
        appearance: """
            In the PES header the two PTS_DTS_flags are 00. `dtvr scan` prints the tag without a time.
            """,
        cause: """
            An inserter or multiplexer that sends metadata as asynchronous data. FFmpeg writes such packets where the
            packet that it was given has no timestamp (AV_NOPTS_VALUE), as after a bitstream filter or a custom feeder
            that sets none.
            """,
        action: """
            Have the inserter give every tag the PTS of the audio that it last heard. It must be on the clock of
            the multiplex and go through every restamping that audio and video go through.
            """)

    mutating func check(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        guard reading.isTransportStream else { return }
        var missing = reading.facts.missingPTSCount
        if reading.facts.metadataPESCount > 0 || missing > 0 { ledger.markRun(Self.id) }
        for tag in reading.tags {
            guard case .transportStream(let pid) = tag.occurrence.carriage else { continue }
            ledger.markRun(Self.id)
            guard tag.occurrence.time == nil else { continue }
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
        ledger.count(Self.id, .fail, violations: missing - 1)
    }
}
