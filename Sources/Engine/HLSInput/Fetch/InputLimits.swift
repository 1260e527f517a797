/// How large the parts of an input may be, and how long each may take on the network.
///
/// A file, FIFO, device or standard input that the user names has no limit: it is read to its end.
public struct InputLimits: Sendable, Hashable {
    /// The most bytes that a segment may have.
    public var maximumSegmentByteCount: UInt64 = 1 << 30

    /// The most seconds that a segment may take on the network, from the request to its last byte.
    package var maximumSegmentSeconds = 600

    /// The most bytes that a playlist may have.
    static let maximumPlaylistByteCount = 16 << 20

    /// The most seconds that a playlist may take on the network.
    static let maximumPlaylistSeconds = 60

    /// The most bytes that a key may have: it has 16 where it is one.
    static let maximumKeyByteCount = 4 << 10

    /// The most seconds that a key may take on the network.
    static let maximumKeySeconds = 30

    /// The usual limits.
    public init() {}
}
