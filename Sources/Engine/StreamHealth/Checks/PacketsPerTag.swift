package import NielsenID3
import ID3v2

extension CheckID {
    /// `carriage.packets-per-tag`.
    package static let packetsPerTag = CheckID("carriage.packets-per-tag")
}

/// `carriage.packets-per-tag`: a Nielsen tag fills exactly two consecutive transport packets of its PID.
enum PacketsPerTag: PlacedTagCheck {
    static let declaration = CheckDeclaration(
        .packetsPerTag, worst: .warn,
        notRun: "No complete Nielsen tag arrived in transport packets.",
        expectation: "A Nielsen tag fills exactly two consecutive transport packets",
        title: "A tag does not fill exactly two transport packets",
        meaning: """
            A Nielsen tag is 271 bytes long and, with its PES header, fills exactly two consecutive transport packets of
            the PID. This tag is spread over more packets, or shares them. Most players read it; simple extractors that
            expect two packets do not.
            """,
        appearance: """
            One tag over several PES packets, several tags in one PES packet, three or more packets with stuffing in
            between, or another owner's tag in the same packet.
            """,
        cause: """
            A remultiplexer that repacks data into PES packets of a different size, adds adaptation fields (a PCR on the
            metadata PID), or collects all tags of one moment into one PES packet.
            """,
        action: """
            Pass the metadata PID through packet by packet if the tool supports it, and carry the PCR on another PID. As
            long as players in the field report the tags, this can wait.
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
                "the tag is in \(transport.packetCount) transport \(packets) of PID \(pid): it must fill exactly two"
            )
        }
        if !transport.fillsPackets {
            return .violation(
                .warn,
                "the tag shares its transport packets of PID \(pid) with other bytes: it must fill exactly two"
            )
        }
        return .pass
    }
}
