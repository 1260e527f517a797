package import ID3v2

/// A Nielsen tag: the owner identifier of a private frame and what can be read from it without a key.
///
/// What lies inside the blob (kind, sequence, times, checksum, blocks) is read by a layout that was observed
/// on the public sample tags and is true of every one of them, but is documented nowhere. The rest is stated
/// by public documentation. Nothing is decrypted.
///
/// Decoding costs one allocation: the array of the owner identifier.
public struct NielsenTag: Sendable, Hashable {
    /// What a tag is about.
    public enum Kind: Sendable, Hashable {
        /// Watermark reports: the byte 2 (observed).
        case data
        /// The description of the inserter: the byte 1 (observed).
        case info
        /// Any other byte, to be kept and passed on.
        case unknown(UInt8)

        init(_ byte: UInt8) {
            switch byte {
            case 1: self = .info
            case 2: self = .data
            default: self = .unknown(byte)
            }
        }
    }

    /// The owner identifier as it was sent; only blanks of a text that was wrapped are left out of it.
    public let ownerIdentifier: [UInt8]

    /// The kind of the tag (observed); nil where the blob cannot be read.
    public let kind: Kind?

    /// The tag's number in the sequence of its encoder, which wraps at 65536 (observed).
    public let sequence: UInt16?

    /// The tag's first time in Unix seconds, UTC (observed).
    public let firstTime: UInt32?

    /// The tag's last time in Unix seconds, UTC (observed).
    public let lastTime: UInt32?

    /// The program content id; nil where its piece is damaged, as for the pieces below.
    public let pcCID: ContentID?

    /// The final distributor id.
    public let fdCID: ContentID?

    /// Seconds since the time that the PC CID stands for, 0 to 99999.
    public let pcOffset: Int?

    /// Seconds since the time that the FD CID stands for, 0 to 99999.
    public let fdOffset: Int?

    /// The breakout, which must be 0; 0 to 99.
    public let breakout: Int?

    /// The sum that the blob states (observed).
    public let storedChecksum: UInt16?

    /// The sum of the blob's bytes in front of the stated one, modulo 65536 (observed).
    public let computedChecksum: UInt16?

    /// How many of the blob's seven blocks hold the bytes of the null CID (observed).
    public let unusedBlockCount: Int?

    /// Where the owner identifier first breaks the expression for it; nil where it does not.
    public let formatDefect: FormatDefect?

    /// Whether its 20 leading bytes are those of a Nielsen tag; true of an owner identifier by itself.
    public let hasValidHeader: Bool

    /// Whether it has 271 bytes that end in a zero byte and `A`; true of an owner identifier by itself.
    public let hasValidTail: Bool

    /// What is wrong with the ID3 tag around it; nil where nothing is, or where there was none.
    package let malformation: ID3Error?

    /// How the ID3 tag departs from the standard without being unreadable.
    package let deviations: ID3Deviations

    /// How many blanks and line ends were taken out of a text that was wrapped.
    public let removedBlankCount: Int

    /// Whether the checksum is that of the blob; nil where the blob cannot be read.
    public var isChecksumValid: Bool? {
        guard let storedChecksum, let computedChecksum else { return nil }
        return storedChecksum == computedChecksum
    }

    /// The seconds from the first time to the last, negative where they are the wrong way round (observed).
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
