extension CarriageFacts {
    /// Bytes that look like a known structure but break its rules.
    package struct MalformedRange: Sendable, Hashable {
        /// The offset of the range, in bytes from the start of the segment.
        package let offset: Int
        /// The length of the range in bytes; 0 if it is unknown.
        package let length: Int
        /// The broken rules; more than one only for deviations that the reader tolerates.
        package let rules: [MalformedRule]
        /// The available part of the owner identifier, if the range is a Nielsen tag without its first five bytes;
        /// otherwise nil.
        package let headlessOwner: [UInt8]?

        /// Creates a malformed range.
        package init(offset: Int, length: Int, rule: MalformedRule, headlessOwner: [UInt8]? = nil) {
            self.init(offset: offset, length: length, rules: [rule], headlessOwner: headlessOwner)
        }

        /// Creates a range that breaks several rules.
        package init(offset: Int, length: Int, rules: [MalformedRule], headlessOwner: [UInt8]? = nil) {
            self.offset = offset
            self.length = length
            self.rules = rules
            self.headlessOwner = headlessOwner
        }

        /// The ids of the broken rules, separated by commas.
        package var rule: String { rules.map(\.rawValue).joined(separator: ", ") }

        /// Whether the bytes look like an ID3 tag.
        package var isTag: Bool { rules.contains(where: \.isOfTags) }
    }

    /// The malformed ranges of a segment: the first ones, the first that look like ID3 tags, and both counts.
    ///
    /// Tags have a separate list, so that container damage neither displaces them nor adds to their count.
    package struct MalformedRanges: Sendable, Hashable {
        private var all = Bounded<MalformedRange>()

        /// The ranges that look like ID3 tags.
        package private(set) var tags = Bounded<MalformedRange>()

        /// Creates an empty collection.
        package init() {}

        /// The first ranges, at most `maximumListed`.
        package var first: [MalformedRange] { all.first }

        /// The number of all ranges, including the omitted ones.
        package var count: Int { all.count }

        /// Counts a range and stores it if there is room.
        package mutating func append(_ range: MalformedRange) {
            all.append(range)
            if range.isTag { tags.append(range) }
        }

        /// Adds the counts of another collection, and as many of its ranges as there is room for.
        package mutating func append(contentsOf other: MalformedRanges) {
            all.append(contentsOf: other.all)
            tags.append(contentsOf: other.tags)
        }
    }
}
