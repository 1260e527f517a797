/// A simulated fault of a live channel.
package enum LiveFault: Sendable, Hashable {
    /// The playlist is delayed by this many milliseconds.
    case latePlaylist(milliseconds: Int64)
    /// The playlist is not updated.
    case stalledPlaylist
    /// Requests for one kind of resource, or for all, are answered with this status.
    case status(Int, Resource?)
    /// The media sequence restarts at 0, and earlier segments are no longer listed.
    case sequenceReset
    /// Response bodies are sent at this rate, in bytes per second.
    case slowDrip(bytesPerSecond: Int, Resource)
    /// Playlists are redirected to an address that expires after this many milliseconds, or never.
    case redirect(expiringAfter: Int64?)
    /// From then on, the media playlist's address returns 403, and the multivariant playlist lists a new address.
    case expiredSession
    /// Segments are encrypted, with a new key after this many milliseconds, or for every segment.
    case changedKey(every: Int64?)
    /// The tags are removed.
    case noTags
    /// A break is inserted, with its own timestamps and without tags.
    case adBreak(BreakMarking)

    /// The kind of resource that a request is for.
    package enum Resource: String, Sendable, Hashable, CaseIterable {
        /// A media or multivariant playlist.
        case playlist
        /// A segment, an initialization segment or a key.
        case segment
    }

    /// The marking of a break in a playlist, in addition to the discontinuities.
    package enum BreakMarking: String, Sendable, Hashable, CaseIterable {
        /// EXT-X-CUE-OUT, EXT-X-CUE-OUT-CONT and EXT-X-CUE-IN.
        case cue
        /// EXT-X-DATERANGE with SCTE35-OUT and SCTE35-IN.
        case daterange
        /// No marking.
        case unmarked
    }

    /// Whether the fault is a momentary event without a duration.
    var isEvent: Bool { self == .sequenceReset || self == .expiredSession }
}
