/// One way in which a live channel misbehaves on purpose.
package enum LiveFault: Sendable, Hashable {
    /// The playlist comes so many milliseconds late.
    case latePlaylist(milliseconds: Int64)
    /// The playlist stays as it is.
    case stalledPlaylist
    /// Requests are answered with that status: of one resource, or all.
    case status(Int, Resource?)
    /// The media sequence starts again at 0, and what came before is no longer listed.
    case sequenceReset
    /// Bodies come at so many bytes a second.
    case slowDrip(bytesPerSecond: Int, Resource)
    /// Playlists are redirected to another address, which expires after so many milliseconds or never.
    case redirect(expiringAfter: Int64?)
    /// The media playlist's address is answered 403 from then on; the multivariant playlist has a new one.
    case expiredSession
    /// Segments are encrypted, with another key every so many milliseconds, or every segment.
    case changedKey(every: Int64?)
    /// The tags are taken out.
    case noTags
    /// Something else is stitched in: with timestamps of its own, without tags.
    case adBreak(BreakMarking)

    /// What a request is for.
    package enum Resource: String, Sendable, Hashable, CaseIterable {
        /// A media or multivariant playlist.
        case playlist
        /// A segment; also an initialization segment and a key.
        case segment
    }

    /// How a playlist marks a break, beside the discontinuities.
    package enum BreakMarking: String, Sendable, Hashable, CaseIterable {
        /// EXT-X-CUE-OUT, EXT-X-CUE-OUT-CONT and EXT-X-CUE-IN.
        case cue
        /// EXT-X-DATERANGE with SCTE35-OUT and SCTE35-IN.
        case daterange
        /// Not at all.
        case unmarked
    }

    /// Whether it happens at a moment, and does not last.
    var isEvent: Bool { self == .sequenceReset || self == .expiredSession }
}
