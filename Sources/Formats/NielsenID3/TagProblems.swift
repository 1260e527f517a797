/// The checks that one Nielsen tag fails by itself, without the tags around it.
package struct TagProblems: OptionSet, Sendable, Hashable {
    /// One bit a check, in the order in which the checks are reported.
    package let rawValue: UInt16

    /// The problems of these bits.
    @inlinable
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The tag breaks ID3v2, or departs from it and could be read all the same.
    package static let malformed = TagProblems(rawValue: 1 << 0)
    /// The 20 leading bytes are not those of a Nielsen tag.
    package static let header = TagProblems(rawValue: 1 << 1)
    /// The tag does not end in a zero byte and `A`, or does not have 271 bytes.
    package static let tail = TagProblems(rawValue: 1 << 2)
    /// The owner identifier breaks the expression for it; `FormatDefect` says where.
    package static let format = TagProblems(rawValue: 1 << 3)
    /// The sum over the blob is not the one that it states.
    package static let checksum = TagProblems(rawValue: 1 << 4)
    /// The breakout is not `00`.
    package static let breakout = TagProblems(rawValue: 1 << 5)
    /// A DATA tag spans more than 12 seconds, or less than 4 with a block unused.
    package static let duration = TagProblems(rawValue: 1 << 6)
    /// A CID of an INFO tag is not the null CID.
    package static let infoCIDs = TagProblems(rawValue: 1 << 7)
    /// An offset of an INFO tag is not zero.
    package static let infoOffsets = TagProblems(rawValue: 1 << 8)
    /// A DATA tag has a null CID with an offset other than zero.
    package static let offsetOfNull = TagProblems(rawValue: 1 << 9)

    /// The identifiers of the checks, in the order of the bits.
    private static let allIDs = [
        "id3.malformed", "tag.header", "tag.tail", "tag.format", "tag.checksum", "tag.breakout",
        "time.duration", "info.cids", "info.offsets", "cid.offset-of-null",
    ]

    /// The identifiers of the checks that the tag fails, as reports name them.
    package var ids: [String] {
        guard rawValue != 0 else { return [] }
        return Self.allIDs.enumerated().compactMap {
            rawValue >> UInt16($0.offset) & 1 == 1 ? $0.element : nil
        }
    }
}
