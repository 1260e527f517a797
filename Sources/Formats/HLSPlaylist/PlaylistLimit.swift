/// A bound on what one playlist may hold.
///
/// What exceeds it is left out, the rest is read, and the limit is reported by name.
///
/// The work and the memory that a playlist takes are linear in these bounds and in its bytes.
package enum PlaylistLimit: String, Sendable, Hashable, CaseIterable {
    /// The segments of a media playlist: nine days of segments of six seconds.
    case segments
    /// The partial segments of a media playlist.
    case parts
    /// The preload hints of a media playlist.
    case preloadHints = "preload hints"
    /// The key formats that are in use at a time.
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
    /// The bytes of all texts that contain references to variables, after the replacement.
    case replacedText = "bytes of replaced text"
    /// The bytes of one address: a longer one cannot be requested, and is truncated.
    case addressBytes = "bytes in an address"

    /// The largest permitted count.
    package var maximum: Int {
        switch self {
        case .segments, .parts: 1 << 17
        case .dateRanges: 10_000
        case .variants, .iFrameVariants, .renditions: 2_000
        case .preloadHints, .sessionData, .sessionKeys, .variables: 1_000
        case .keyFormats: 16
        case .replacedText: 8 << 20
        case .addressBytes: 8_192
        }
    }
}

/// The bounds of the numbers of a playlist.
///
/// A larger one is a `PlaylistProblem.Rule.unreadableNumber`, as if it were absent.
///
/// Sums and differences of a thousand integers, and the milliseconds of `PlaylistLimit.segments` durations, fit an `Int64`.
package enum PlaylistNumber {
    /// The largest integer: what a `Double`, and with it every player in a browser, counts exactly.
    package static let maximumInteger = (1 << 53) - 1

    /// The largest decimal number, and the largest target duration: eleven days in seconds.
    package static let maximumSeconds = 1_000_000
}
