extension CarriageFacts {
    /// Bytes that claim to be something and break its rules.
    package struct MalformedRange: Sendable, Hashable {
        /// Where the range begins, in bytes from the segment's start.
        package let offset: Int
        /// How many bytes it has; 0 where that cannot be told.
        package let length: Int
        /// The rule that is broken, as the parser that found it names it.
        package let rule: String
        /// The owner identifier, as much of it as there is, of a Nielsen tag that has lost its first five bytes; nil
        /// where the range is none.
        package let headlessOwner: [UInt8]?

        /// One malformed range.
        package init(offset: Int, length: Int, rule: String, headlessOwner: [UInt8]? = nil) {
            self.offset = offset
            self.length = length
            self.rule = rule
            self.headlessOwner = headlessOwner
        }

        /// Whether the bytes claim to be an ID3 tag: the rule is one of ID3v2, or of an event message that has one.
        package var isTag: Bool { rule.hasPrefix("id3.") || rule == "emsg.no-tag" }
    }

    /// The malformed ranges of a segment: the first of all, the first that claim to be ID3 tags, and how many there
    /// are of both.
    ///
    /// Those that claim to be tags have a list of their own, so that damage of the container, however much, neither
    /// hides them nor counts as theirs.
    package struct MalformedRanges: Sendable, Hashable {
        private var all = Bounded<MalformedRange>()

        /// Those that claim to be ID3 tags.
        package private(set) var tags = Bounded<MalformedRange>()

        /// No range.
        package init() {}

        /// The first ranges, at most `maximumListed`.
        package var first: [MalformedRange] { all.first }

        /// How many there were.
        package var count: Int { all.count }

        /// Counts a range, and keeps it while there is room.
        package mutating func append(_ range: MalformedRange) {
            all.append(range)
            if range.isTag { tags.append(range) }
        }

        /// Adds the ranges of another list, in the same way.
        package mutating func append(contentsOf other: MalformedRanges) {
            all.append(contentsOf: other.all)
            tags.append(contentsOf: other.tags)
        }
    }
}
