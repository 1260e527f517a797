import Foundation
import ID3v2
import NielsenID3
import StreamHealth

/// Tags that are built field by field, for sample streams.
enum SampleStream {
    static let pcCID = "065H2g6E7ZyQ5UdmMAbbpg=="
    static let fdCID = "_EMc37zfVgq_8KB7baUYfg=="
    static let otherCID = "AAECAwQFBgcICQoLDA0ODw=="
    static let nullCID = "X100zdCIGeIlgZnkYj6UvQ=="

    /// Returns an owner identifier with a blob of the observed layout, and with a correct checksum if
    /// `isChecksumValid`.
    static func owner(
        kind: UInt8 = 2, sequence: UInt16, first: UInt32, last: UInt32, pcCID: String = pcCID,
        fdCID: String = fdCID, offset: Int = 0, isChecksumValid: Bool = true
    ) -> String {
        var blob = [UInt8(sequence >> 8), UInt8(sequence & 0xFF), kind]
        blob += (0..<112).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ Int(sequence)) }
        for time in [first, last] {
            blob += stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> UInt32($0)) }
        }
        var sum: UInt16 = 0
        for byte in blob { sum &+= UInt16(byte) }
        if !isChecksumValid { sum &+= 1 }
        blob += [UInt8(sum >> 8), UInt8(sum & 0xFF)]
        let text = Data(blob).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        let digits = String(repeating: "0", count: 5 - String(offset).count) + String(offset)
        return "www.nielsen.com/\(pcCID)/\(fdCID)/\(text)/\(digits)/\(digits)/00"
    }

    /// Returns an occurrence of a tag at `position` seconds in the stream; the media clock is 10 s ahead of the
    /// position.
    static func tag(
        _ owner: String, at position: Double, segment: String? = nil, mediaSequence: UInt64? = nil
    ) -> TagOccurrence? {
        guard let tag = NielsenTag(ownerIdentifier: Array(owner.utf8).span) else { return nil }
        let seconds = position + 10
        let occurrence = TagOccurrence(
            tag: tag,
            origin: .recording(TagPlace(source: "sample", segment: segment, mediaSequence: mediaSequence)),
            time: MediaTimestamp(pts: UInt64(seconds * 90_000)), seconds: seconds,
            carriage: .transportStream(pid: 258),
            transport: .init(
                packetCount: 2, fillsPackets: true, streamID: 0xBD,
                precedingMediaTime: MediaTimestamp(
                    pts: UInt64(
                        (seconds - 0.3 - (position / 7).truncatingRemainder(dividingBy: 0.4)) * 90_000))),
            position: position)
        return TagPolicy().checked(occurrence)
    }
}
