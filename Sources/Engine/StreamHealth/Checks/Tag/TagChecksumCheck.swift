import ByteReading
import NielsenID3

/// `tag.checksum`: the sum that the EDU blob states is the sum of its bytes.
enum TagChecksumCheck: TagCheck {
    static let id = CheckID.tagChecksum
    static let absence = "No Nielsen tag was read whose EDU blob can be decoded."

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard !tag.isTruncated, let stored = tag.tag.storedChecksum, let computed = tag.tag.computedChecksum
        else {
            return .notJudged
        }
        guard stored != computed else { return .pass }
        return .hit(.fail, "stored \(hex(stored)), computed \(hex(computed))")
    }

    private static func hex(_ number: UInt16) -> String {
        "0x" + Hexadecimal.text(of: number)
    }
}
