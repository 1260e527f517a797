import HLSPlaylist

/// One resource that is demuxed: a segment, or a media initialization segment.
struct Resource: Sendable {
    let name: String
    let address: InputAddress
    let byteRange: ByteRange?
    let encryption: Presentation.Encryption?
    /// What was opened already, where its bytes come once.
    let stream: OpenedStream?
    /// Whether it may have any number of bytes, because the user named it and it is on this machine.
    let isUnlimited: Bool

    init(_ segment: Presentation.Segment) {
        name = segment.displayName
        address = segment.address
        byteRange = segment.byteRange
        encryption = segment.encryption
        stream = segment.stream
        isUnlimited = segment.isNamedByUser
    }

    init(_ section: Presentation.Initialization) {
        name = section.address.text
        address = section.address
        byteRange = section.byteRange
        encryption = section.encryption
        stream = nil
        isUnlimited = false
    }
}

/// What was read of a resource: how many bytes, and the first of them.
struct ReadBytes: Sendable {
    private static let frontByteCount = 64
    /// The bytes of the resource, those that were skipped included.
    private(set) var byteCount: UInt64 = 0
    /// The bytes that were skipped, because nothing in them matters.
    private(set) var skippedByteCount: UInt64 = 0
    private(set) var front: [UInt8] = []

    /// Counts bytes, and keeps the first of all.
    mutating func add(_ bytes: Span<UInt8>) {
        if front.count < Self.frontByteCount {
            let wanted = min(Self.frontByteCount - front.count, bytes.count)
            for index in 0..<wanted { front.append(bytes[index]) }
        }
        byteCount += UInt64(bytes.count)
    }

    /// Counts bytes that were skipped.
    mutating func skip(_ count: UInt64) {
        byteCount += count
        skippedByteCount += count
    }
}
