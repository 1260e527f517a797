/// Ways in which a tag departs from the standard and could be read all the same.
package struct ID3Deviations: OptionSet, Sendable, Hashable {
    /// One bit a deviation.
    package let rawValue: UInt16

    /// The deviations of these bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The size of the tag is a plain number where a sync-safe one belongs.
    package static let plainTagSize = ID3Deviations(rawValue: 1 << 0)
    /// The frames of a tag of version 2.4 have plain sizes.
    package static let plainFrameSizes = ID3Deviations(rawValue: 1 << 1)
    /// The frames of a tag of version 2.3 have sync-safe sizes.
    package static let syncSafeFrameSizes = ID3Deviations(rawValue: 1 << 2)
    /// The header announces an extended header, and a frame stands in its place.
    package static let absentExtendedHeader = ID3Deviations(rawValue: 1 << 3)
    /// The size of the extended header counts itself where it must not, or the other way about.
    package static let extendedHeaderSize = ID3Deviations(rawValue: 1 << 4)
    /// The header announces a footer, and none is there.
    package static let absentFooter = ID3Deviations(rawValue: 1 << 5)
    /// A tag or frame is marked as unsynchronised and holds what unsynchronisation would have taken out.
    package static let falseUnsynchronisation = ID3Deviations(rawValue: 1 << 6)
    /// Flags are set that the version does not define.
    package static let undefinedFlags = ID3Deviations(rawValue: 1 << 7)

    /// The decoded content of a frame has another length than its data length indicator says, or there is none that
    /// had to be.
    package static let dataLengthIndicator = ID3Deviations(rawValue: 1 << 8)

    /// Sizes of the other form than the standard's.
    package static let sizes: ID3Deviations = [.plainTagSize, .plainFrameSizes, .syncSafeFrameSizes]

    /// Short names that do not change, in the order of the bits.
    package var names: [String] {
        let all: [(ID3Deviations, String)] = [
            (.plainTagSize, "plain-tag-size"), (.plainFrameSizes, "plain-frame-sizes"),
            (.syncSafeFrameSizes, "sync-safe-frame-sizes"),
            (.absentExtendedHeader, "absent-extended-header"),
            (.extendedHeaderSize, "extended-header-size"), (.absentFooter, "absent-footer"),
            (.falseUnsynchronisation, "false-unsynchronisation"), (.undefinedFlags, "undefined-flags"),
            (.dataLengthIndicator, "data-length-indicator"),
        ]
        return all.compactMap { contains($0.0) ? $0.1 : nil }
    }
}
