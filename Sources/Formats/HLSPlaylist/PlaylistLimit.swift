/// A limit on the contents of one playlist.
///
/// Entries above the limit are dropped, the other entries are still parsed, and the limit is reported by name.
///
/// The time and memory to parse a playlist are linear in these limits and in its size.
package enum PlaylistLimit: String, Sendable, Hashable, CaseIterable {
    /// The segments of a media playlist: nine days of segments of six seconds.
    case segments
    /// The partial segments of a media playlist.
    case parts
    /// The preload hints of a media playlist.
    case preloadHints = "preload hints"
    /// The key formats in use at the same time.
    case keyFormats = "key formats"
    /// The date ranges with SCTE 35 data.
    case dateRanges = "date ranges"
    /// The variant streams of a multivariant playlist.
    case variants
    /// The variant streams of EXT-X-I-FRAME-STREAM-INF.
    case iFrameVariants = "I-frame variants"
    /// The renditions of a multivariant playlist.
    case renditions
    /// The entries of EXT-X-SESSION-DATA.
    case sessionData = "session data"
    /// The entries of EXT-X-SESSION-KEY.
    case sessionKeys = "session keys"
    /// The variables that EXT-X-DEFINE defines.
    case variables
    /// The total size in bytes of the texts with references to variables, after substitution.
    case replacedText = "bytes of replaced text"
    /// The length of one address in bytes: a longer one cannot be requested and is truncated.
    case addressBytes = "bytes in an address"
    /// The length in bytes of an attribute that is kept from load to load: the method and the formats of a key, and the
    /// ID of a date range. A longer one is truncated.
    case attributeBytes = "bytes in an attribute"

    /// The maximum permitted count.
    package var maximum: Int {
        switch self {
        case .segments, .parts: 1 << 17
        case .dateRanges: 10_000
        case .variants, .iFrameVariants, .renditions: 2_000
        case .preloadHints, .sessionData, .sessionKeys, .variables: 1_000
        case .keyFormats: 16
        case .replacedText: 8 << 20
        case .addressBytes: 8_192
        case .attributeBytes: 1_024
        }
    }
}

/// The limits on the numbers in a playlist.
///
/// A greater number is treated as absent and reported as `PlaylistProblem.Rule.unreadableNumber`.
///
/// Sums and differences of a thousand integers, and the milliseconds of `PlaylistLimit.segments` durations, fit an
/// `Int64`.
package enum PlaylistNumber {
    /// The maximum integer: the greatest that a `Double`, and so every browser player, represents exactly.
    package static let maximumInteger = (1 << 53) - 1

    /// The maximum decimal number and the maximum target duration: eleven days in seconds.
    package static let maximumSeconds = 1_000_000
}
