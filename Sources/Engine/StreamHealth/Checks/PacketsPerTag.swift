package import NielsenID3
import TimedMedia

extension CheckID {
    /// `carriage.packets-per-tag`.
    package static let packetsPerTag = CheckID("carriage.packets-per-tag")
}

/// `carriage.packets-per-tag`: a Nielsen tag fills exactly two transport packets that are contiguous on its PID.
enum PacketsPerTag: PlacedTagCheck {
    static let declaration = CheckDeclaration(
        .packetsPerTag, worst: .warn,
        notRun: "No whole Nielsen tag came in transport packets.",
        expectation: "A Nielsen tag fills exactly two transport packets in a row",
        title: "A tag does not fill exactly two transport packets",
        meaning: """
            A Nielsen tag is 271 bytes and, with its PES header, takes exactly two transport packets that follow each other
            on the PID. Here it is spread over more, or shares them. Most players read it; simple extractors, written
            for the two packets, do not.
            """,
        appearance: """
            One tag over several PES packets, several tags in one PES packet, three or more packets with stuffing in
            between, or another owner's tag in the same packet.
            """,
        cause: """
            A remultiplexer that repacks data into PES packets of its own size, adds adaptation fields (a PCR on the
            metadata PID), or collects all tags of one moment into one PES packet.
            """,
        action: """
            Pass the metadata PID through packet by packet where the tool can, and let another PID carry the PCR. As long
            as players in the field report the tags, this can wait.
            """)

    private static let packetCount = 2

    static func check(_ tag: TagOccurrence, in context: TagContext) -> CheckResult {
        guard case .transportStream(let pid) = tag.carriage, let transport = tag.transport, !tag.isTruncated
        else {
            return .notRun
        }
        if transport.packetCount != packetCount {
            let packets = transport.packetCount == 1 ? "packet" : "packets"
            return .violation(
                .warn,
                "the tag lies in \(transport.packetCount) transport \(packets) of PID \(pid): it fills exactly two"
            )
        }
        if !transport.fillsPackets {
            return .violation(
                .warn,
                "the tag shares its transport packets of PID \(pid) with other bytes: it fills exactly two")
        }
        return .pass
    }
}
