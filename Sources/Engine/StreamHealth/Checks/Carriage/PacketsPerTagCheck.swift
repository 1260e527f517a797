import NielsenID3
import TimedMedia

/// `carriage.packets-per-tag`: a Nielsen tag fills exactly two transport packets that are contiguous on its PID.
enum PacketsPerTagCheck: TagCheck {
    static let id = CheckID.packetsPerTag
    static let absence = "No whole Nielsen tag came in transport packets."

    private static let packetCount = 2

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard case .transportStream(let pid) = tag.carriage, let transport = tag.transport, !tag.isTruncated
        else {
            return .notJudged
        }
        if transport.packetCount != packetCount {
            let packets = transport.packetCount == 1 ? "packet" : "packets"
            return .hit(
                .warn,
                "the tag lies in \(transport.packetCount) transport \(packets) of PID \(pid): it fills exactly two"
            )
        }
        if !transport.fillsPackets {
            return .hit(
                .warn,
                "the tag shares its transport packets of PID \(pid) with other bytes: it fills exactly two")
        }
        return .pass
    }
}
