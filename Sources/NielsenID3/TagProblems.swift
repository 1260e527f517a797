/// The checks that one Nielsen tag fails by itself, without the tags around it.
public struct TagProblems: OptionSet, Sendable, Hashable {
    /// One bit a check, in the order in which the checks are reported.
    public let rawValue: UInt16

    /// The problems of these bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The tag breaks ID3v2, or departs from it and could be read all the same.
    public static let malformed = TagProblems(rawValue: 1 << 0)
    /// The 20 leading bytes are not those of a Nielsen tag.
    public static let header = TagProblems(rawValue: 1 << 1)
    /// The tag does not end in a zero byte and `A`, or does not have 271 bytes.
    public static let tail = TagProblems(rawValue: 1 << 2)
    /// The owner identifier breaks the expression for it; `FormatDefect` says where.
    public static let format = TagProblems(rawValue: 1 << 3)
    /// The sum over the blob is not the one that it states.
    public static let checksum = TagProblems(rawValue: 1 << 4)
    /// The breakout is not `00`.
    public static let breakout = TagProblems(rawValue: 1 << 5)
    /// A DATA tag spans more than 12 seconds, or less than 4 with a block unused.
    public static let duration = TagProblems(rawValue: 1 << 6)
    /// A CID of an INFO tag is not the null CID.
    public static let infoCIDs = TagProblems(rawValue: 1 << 7)
    /// An offset of an INFO tag is not zero.
    public static let infoOffsets = TagProblems(rawValue: 1 << 8)
    /// A DATA tag has a null CID with an offset other than zero.
    public static let offsetOfNull = TagProblems(rawValue: 1 << 9)

    /// The identifiers of the checks, in the order of the bits.
    private static let allIDs = [
        "id3.malformed", "tag.header", "tag.tail", "tag.format", "tag.checksum", "tag.breakout",
        "time.duration", "info.cids", "info.offsets", "cid.offset-of-null",
    ]

    /// The identifiers of the checks that the tag fails, as reports name them.
    public var ids: [String] {
        guard rawValue != 0 else { return [] }
        return Self.allIDs.enumerated().compactMap {
            rawValue >> UInt16($0.offset) & 1 == 1 ? $0.element : nil
        }
    }
}
