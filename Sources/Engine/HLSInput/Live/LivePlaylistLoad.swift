package import HLSPlaylist
package import HTTPTransfer

/// What came of one load of a live channel's media playlist.
package struct LivePlaylistLoad: Sendable {
    /// What it brings, and when to load again; the new segments are in `segments`.
    package internal(set) var update: PlaylistUpdate

    /// The new segments, to be read in their order.
    package internal(set) var segments: [LiveSegment] = []

    /// Why there is no playlist; nil where there is one, or where it has not changed.
    package internal(set) var failure: InputError?

    /// What the server answered; nil where it did not.
    ///
    /// Where the playlist's address had expired it is the answer at the new one.
    package internal(set) var response: HTTPResponse? {
        didSet { byteCount = max(byteCount, response?.body.count ?? 0) }
    }

    /// The limits that the playlist exceeds.
    package internal(set) var exceededLimits: [PlaylistLimit] = []

    /// Whether there was no room for the oldest of the new segments, which are left out.
    package internal(set) var isShortened = false

    /// What keeps room for the segments.
    var reservation: SegmentMemory.Reservation?

    /// How long it took.
    package let duration: Duration

    /// How long the processor was busy with it.
    package internal(set) var processingDuration = Duration.zero

    /// The status that the server answered with; nil where it did not.
    package var status: Int? { response?.status }

    /// The bytes that came.
    package private(set) var byteCount = 0

    init(update: PlaylistUpdate, duration: Duration) {
        self.update = update
        self.duration = duration
    }

    /// Lets go of the body of the answer, which is of no use to who has the segments.
    package mutating func releaseBody() { response?.body = [] }

    /// Leaves out the oldest of more new segments than that, and returns whether there were more.
    package mutating func keepNewest(_ maximumCount: Int) -> Bool {
        guard segments.count > maximumCount else { return false }
        segments.removeFirst(segments.count - maximumCount)
        if !segments.isEmpty { segments[0].isContinuation = false }
        return true
    }
}

/// A segment of a live channel that is to be read.
package struct LiveSegment: Sendable {
    /// What the playlist says of it.
    package let listed: MediaSegment

    /// Whether it directly continues the one before; to be cleared where that one is not read.
    package var isContinuation: Bool

    /// Whether the channel ends with it.
    package let isLast: Bool

    /// What its references are relative to.
    let playlistAddress: String

    /// Where requests for it may go.
    let policy: AddressPolicy

    /// The target duration of its playlist.
    package let targetSeconds: Int
}

/// What came of one segment of a live channel.
package struct LiveSegmentReading: Sendable {
    /// The segment with its tags, whose origin is the channel.
    package let reading: SegmentReading

    /// How long it took to fetch and read.
    package let duration: Duration

    /// The bytes that came, those of an initialization segment included.
    package let byteCount: UInt64
}
