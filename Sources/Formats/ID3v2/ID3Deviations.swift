/// Deviations from the standard that do not prevent reading a tag.
package struct ID3Deviations: OptionSet, Sendable, Hashable {
    /// The set, with one bit per deviation.
    package let rawValue: UInt16

    /// Creates the empty set.
    ///
    /// In other modules it is faster than an empty literal, which is generic code there.
    package init() { rawValue = 0 }

    /// Creates a set from its bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The size of the tag is a plain number instead of a sync-safe one.
    package static let plainTagSize = ID3Deviations(rawValue: 1 << 0)
    /// The frames of a tag of version 2.4 have plain sizes.
    package static let plainFrameSizes = ID3Deviations(rawValue: 1 << 1)
    /// The frames of a tag of version 2.3 have sync-safe sizes.
    package static let syncSafeFrameSizes = ID3Deviations(rawValue: 1 << 2)
    /// The header announces an extended header, but a frame is in its place.
    package static let absentExtendedHeader = ID3Deviations(rawValue: 1 << 3)
    /// The size of the extended header includes its own four bytes where the version excludes them, or the reverse.
    package static let extendedHeaderSize = ID3Deviations(rawValue: 1 << 4)
    /// The header announces a footer, but there is none.
    package static let absentFooter = ID3Deviations(rawValue: 1 << 5)
    /// A tag or frame is marked as unsynchronised but contains bytes that unsynchronisation would have changed.
    package static let falseUnsynchronisation = ID3Deviations(rawValue: 1 << 6)
    /// The tag has flags set that its version does not define.
    package static let undefinedFlags = ID3Deviations(rawValue: 1 << 7)

    /// The data length indicator of a frame is missing, or differs from the length of the decoded content.
    package static let dataLengthIndicator = ID3Deviations(rawValue: 1 << 8)

    /// All deviations in the encoding of sizes.
    package static let sizes: ID3Deviations = [.plainTagSize, .plainFrameSizes, .syncSafeFrameSizes]

    /// The broken rules, in bit order.
    package var rules: [MalformedRule] {
        let all: [(ID3Deviations, MalformedRule)] = [
            (.plainTagSize, .plainTagSize), (.plainFrameSizes, .plainFrameSizes),
            (.syncSafeFrameSizes, .syncSafeFrameSizes), (.absentExtendedHeader, .absentExtendedHeader),
            (.extendedHeaderSize, .extendedHeaderSize), (.absentFooter, .absentFooter),
            (.falseUnsynchronisation, .falseUnsynchronisation), (.undefinedFlags, .undefinedFlags),
            (.dataLengthIndicator, .dataLengthIndicator),
        ]
        return all.compactMap { contains($0.0) ? $0.1 : nil }
    }
}
