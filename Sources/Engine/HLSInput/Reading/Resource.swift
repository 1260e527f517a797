import HLSPlaylist

/// A resource to demux: a segment, or a media initialization segment.
struct Resource: Sendable {
    let name: String
    let address: InputAddress
    let byteRange: ByteRange?
    let encryption: Presentation.Encryption?
    /// Whether the size is unlimited, because the user named the segment and it is local.
    let isUnlimited: Bool

    init(_ segment: Presentation.Segment) {
        name = segment.address.isData ? segment.address.text : segment.displayName
        address = segment.address
        byteRange = segment.byteRange
        encryption = segment.encryption
        isUnlimited = segment.isNamedByUser
    }

    init(_ section: Presentation.Initialization) {
        name = section.address.text
        address = section.address
        byteRange = section.byteRange
        encryption = section.encryption
        isUnlimited = false
    }
}

/// The number of bytes read from a resource, and the first of them.
struct ReadBytes: Sendable {
    /// The number of bytes that identify a format: that of tar is at byte 257.
    static let frontByteCount = 512
    /// The number of bytes of the resource, including skipped bytes.
    private(set) var byteCount: UInt64 = 0
    /// The number of irrelevant bytes that were skipped.
    private(set) var skippedByteCount: UInt64 = 0
    private(set) var front: [UInt8] = []

    /// Counts bytes, and stores the first bytes of the resource.
    mutating func add(_ bytes: Span<UInt8>) {
        if front.count < Self.frontByteCount {
            let wanted = min(Self.frontByteCount - front.count, bytes.count)
            for index in 0..<wanted { front.append(bytes[index]) }
        }
        byteCount += UInt64(bytes.count)
    }

    /// Counts skipped bytes.
    mutating func skip(_ count: UInt64) {
        byteCount += count
        skippedByteCount += count
    }
}
