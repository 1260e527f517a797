/// The names that a tag's fields have in every form of output, in the order of output.
///
/// Scripts, dashboards and collectors depend on them: adding one is free, renaming one is a breaking change.
package enum TagKey: String, CaseIterable, Sendable {
    /// The input as given.
    case source
    /// The media playlist's URI; absent without a multivariant playlist.
    case rendition
    /// The segment's URI; absent for a bare segment.
    case segment
    /// The segment's media sequence number; absent without a playlist.
    case mediaSequence = "media_sequence"
    /// The tag's program date and time; absent without one.
    case programDateTime = "program_date_time"
    /// The presentation time in ticks as sent, or null.
    case pts
    /// The ticks a second of `pts`; only where they are not 90,000.
    case timescale
    /// The presentation time in seconds on the unwrapped clock, or null.
    case seconds
    /// `mpegts`, `emsg`, `packed-audio`, `segment-front`, `mp4-box` or `player`.
    case carriage
    /// The PID; only for `mpegts`.
    case pid
    /// The scheme_id_uri; only for `emsg`.
    case scheme
    /// The value; only for `emsg`.
    case value
    /// The box's version; only for `emsg`.
    case eventMessageVersion = "emsg_version"
    /// The box's id; only for `emsg`.
    case eventMessageID = "emsg_id"
    /// The owner identifier, unaltered.
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
    /// Whether the stored checksum is the computed one, or null.
    case checksumOK = "checksum_ok"
    /// The ids of the checks that this one tag fails.
    case problems
}
