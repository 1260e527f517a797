/// The names of a tag's fields in every output format, in output order.
///
/// Scripts, dashboards and collectors depend on these names. Adding one is compatible; renaming one is a breaking
/// change.
package enum TagKey: String, CaseIterable, Sendable {
    /// The input as given.
    case source
    /// The URI of the media playlist; absent without a multivariant playlist.
    case rendition
    /// The URI of the segment; absent for a single segment without a playlist.
    case segment
    /// The media sequence number of the segment; absent without a playlist.
    case mediaSequence = "media_sequence"
    /// The program date and time of the tag; absent without one.
    case programDateTime = "program_date_time"
    /// The presentation time in ticks as sent, or null.
    case pts
    /// The ticks per second of `pts`; absent if 90,000.
    case timescale
    /// The presentation time in seconds on the unwrapped clock, or null.
    case seconds
    /// `mpegts`, `emsg`, `packed-audio`, `segment-front`, `mp4-box` or `player`.
    case carriage
    /// The PID; only for `mpegts`.
    case pid
    /// The `scheme_id_uri` of the box; only for `emsg`.
    case scheme
    /// The `value` of the box; only for `emsg`.
    case value
    /// The version of the box; only for `emsg`.
    case eventMessageVersion = "emsg_version"
    /// The id of the box; only for `emsg`.
    case eventMessageID = "emsg_id"
    /// The owner identifier, unchanged.
    case owner
    /// `data`, `info`, `unknown`, or null.
    case kind
    /// The sequence number, or null.
    case sequence
    /// The first time in Unix seconds, or null.
    case first
    /// The last time in Unix seconds, or null.
    case last
    /// The program content id as text, or null.
    case pcCID = "pc_cid"
    /// The final distributor id as text, or null.
    case fdCID = "fd_cid"
    /// Seconds since the program content id's time, or null.
    case pcOffset = "pc_offset"
    /// Seconds since the final distributor id's time, or null.
    case fdOffset = "fd_offset"
    /// The breakout code, or null.
    case breakout
    /// Whether the stored checksum equals the computed one, or null.
    case checksumOK = "checksum_ok"
    /// The ids of the checks that this tag fails.
    case problems
}
