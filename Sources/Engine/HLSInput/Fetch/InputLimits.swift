/// The limits on the size of input resources and on their network transfer time.
///
/// A file, FIFO, device or standard input named by the user has no limit and is read to its end.
public struct InputLimits: Sendable, Hashable {
    /// The maximum size of a segment, in bytes.
    public var maximumSegmentByteCount: UInt64 = 1 << 30

    /// The maximum transfer time of a segment in seconds, from the request to its last byte.
    package var maximumSegmentSeconds = 600

    /// The maximum size of a playlist, in bytes.
    static let maximumPlaylistByteCount = 16 << 20

    /// The maximum transfer time of a playlist, in seconds.
    static let maximumPlaylistSeconds = 60

    /// The maximum size of a key response in bytes; a valid key has 16 bytes.
    static let maximumKeyByteCount = 4 << 10

    /// The maximum transfer time of a key, in seconds.
    static let maximumKeySeconds = 30

    /// Creates the default limits.
    public init() {}
}
