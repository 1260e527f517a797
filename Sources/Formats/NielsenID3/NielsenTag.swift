package import ID3v2

/// A Nielsen tag: the owner identifier of a private frame and the fields that can be read without a key.
///
/// The layout of the blob (kind, sequence, times, checksum, blocks) is undocumented. It was observed on the public
/// sample tags, and every one of them matches it. All other fields follow public documentation. Nothing is decrypted.
///
/// Decoding allocates once, for the array of the owner identifier.
public struct NielsenTag: Sendable, Hashable {
    /// The subject of a tag.
    public enum Kind: Sendable, Hashable {
        /// Watermark reports, encoded as byte 2 (observed).
        case data
        /// A description of the inserter, encoded as byte 1 (observed).
        case info
        /// Any other byte, which is stored and forwarded unchanged.
        case unknown(UInt8)

        init(_ byte: UInt8) {
            switch byte {
            case 1: self = .info
            case 2: self = .data
            default: self = .unknown(byte)
            }
        }
    }

    /// The owner identifier as sent, without the blanks and line ends that text wrapping adds.
    public let ownerIdentifier: [UInt8]

    /// The kind of the tag (observed); nil if the blob cannot be read.
    public let kind: Kind?

    /// The tag's number in its encoder's sequence, which wraps at 65536 (observed).
    public let sequence: UInt16?

    /// The tag's first time in Unix seconds, UTC (observed).
    public let firstTime: UInt32?

    /// The tag's last time in Unix seconds, UTC (observed).
    public let lastTime: UInt32?

    /// The program content id.
    ///
    /// This and the following pieces are nil if they are damaged.
    public let pcCID: ContentID?

    /// The final distributor id.
    public let fdCID: ContentID?

    /// Seconds since the time that the PC CID identifies, 0 to 99999.
    public let pcOffset: Int?

    /// Seconds since the time that the FD CID identifies, 0 to 99999.
    public let fdOffset: Int?

    /// The breakout, 0 to 99; a valid tag has 0.
    public let breakout: Int?

    /// The checksum stored in the blob (observed).
    public let storedChecksum: UInt16?

    /// The sum of the blob's bytes before the stored checksum, modulo 65536 (observed).
    public let computedChecksum: UInt16?

    /// The number of the blob's seven blocks that contain the null CID (observed).
    public let unusedBlockCount: Int?

    /// The first position at which the owner identifier is invalid; nil if it is valid.
    public let formatDefect: FormatDefect?

    /// Whether the first 20 bytes are those of a Nielsen tag; true for an owner identifier without a tag.
    public let hasValidHeader: Bool

    /// Whether the tag has 271 bytes and ends in a zero byte and `A`; true for an owner identifier without a tag.
    public let hasValidTail: Bool

    /// The first error in the ID3 tag around it; nil if there is no error or no ID3 tag.
    package let malformation: ID3Error?

    /// The ways in which the ID3 tag departs from the standard but stays readable.
    package let deviations: ID3Deviations

    /// The number of blanks and line ends removed from a wrapped text.
    public let removedBlankCount: Int

    /// Whether the stored checksum matches the computed one; nil if the blob cannot be read.
    public var isChecksumValid: Bool? {
        guard let storedChecksum, let computedChecksum else { return nil }
        return storedChecksum == computedChecksum
    }

    /// The seconds from the first time to the last, negative if they are reversed (observed).
    public var duration: Int? {
        guard let firstTime, let lastTime else { return nil }
        return Int(lastTime) - Int(firstTime)
    }

    @inline(__always)
    init(
        ownerIdentifier: [UInt8], pieces: OwnerIdentifier, envelope: Envelope, removedBlankCount: Int = 0
    ) {
        self.ownerIdentifier = ownerIdentifier
        self.removedBlankCount = removedBlankCount
        hasValidHeader = envelope.hasValidHeader
        hasValidTail = envelope.hasValidTail
        malformation = envelope.malformation
        deviations = envelope.deviations
        formatDefect = pieces.defect
        pcCID = pieces.pcCID
        fdCID = pieces.fdCID
        pcOffset = pieces.pcOffset
        fdOffset = pieces.fdOffset
        breakout = pieces.breakout
        guard let blob = pieces.blob else {
            kind = nil
            sequence = nil
            firstTime = nil
            lastTime = nil
            storedChecksum = nil
            computedChecksum = nil
            unusedBlockCount = nil
            return
        }
        kind = Kind(blob.kind)
        sequence = blob.sequence
        firstTime = blob.firstTime
        lastTime = blob.lastTime
        storedChecksum = blob.storedChecksum
        computedChecksum = blob.computedChecksum
        unusedBlockCount = blob.unusedBlockCount
    }
}
