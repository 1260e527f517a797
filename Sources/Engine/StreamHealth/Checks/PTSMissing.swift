package import NielsenID3
import ID3v2

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
            A metadata PES packet in which a tag begins has no PTS. A player cannot determine when the tag is due: it
            drops the tag, or delivers it at once, and then the credit goes to the wrong moment or is lost.
            """,
        appearance: """
            The PTS_DTS_flags in the PES header are 00. `dtvr scan` prints the tag without a time.
            """,
        cause: """
            An inserter or multiplexer that sends metadata as asynchronous data. FFmpeg writes such packets if its input
            packet has no timestamp (AV_NOPTS_VALUE), for example after a bitstream filter or from a custom source that
            sets none.
            """,
        action: """
            Configure the inserter to give every tag the PTS of the audio that it last heard. The PTS must be on the
            clock of the multiplex and must be restamped together with audio and video.
            """)

    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        guard content.isTransportStream else { return }
        var missing = content.facts.missingPTSCount
        if content.facts.metadataPESCount > 0 || missing > 0 { ledger.markRun(Self.id) }
        for tag in content.tags {
            guard case .transportStream(let pid) = tag.occurrence.carriage else { continue }
            ledger.markRun(Self.id)
            guard tag.occurrence.time == nil else { continue }
            missing -= 1
            ledger.report(
                Self.id, .fail, at: tag.place,
                "the PES packet on PID \(pid) in which the tag begins has no PTS: players cannot tell when it is due"
            )
        }
        // The rest are packets of other owners' tags or of repeats.
        guard missing > 0 else { return }
        ledger.report(
            Self.id, .fail, at: content.place,
            "\(missing) metadata PES packet\(missing == 1 ? "" : "s") in which another tag begins "
                + "\(missing == 1 ? "has" : "have") no PTS")
        ledger.count(Self.id, .fail, violations: missing - 1)
    }
}
