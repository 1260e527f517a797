package import HLSPlaylist
import HTTPTransfer

/// The result of loading a live channel's media playlist once.
package struct LivePlaylistLoad: Sendable {
    /// The changes and the time of the next load; the new segments are in `segments`.
    package internal(set) var update: PlaylistUpdate

    /// The new segments, to be read in order.
    package internal(set) var segments: [LiveSegment] = []

    /// The awaited segments that the playlist still lists, with their current addresses.
    package internal(set) var awaited: [LiveSegment] = []

    /// The error, or nil if the playlist was loaded or is unchanged.
    package internal(set) var failure: InputError?

    /// The response of the server without secrets, or nil without one.
    package var printableResponse: PrintableResponse? {
        response.map { PrintableResponse($0, hiding: secrets.including([$0.url])) }
    }

    /// The secrets of the channel and of the addresses of its playlists.
    private let secrets: InputSecrets

    /// The response of the server, or nil without one.
    ///
    /// If the playlist's address had expired, this is the response at the new address.
    var response: HTTPResponse? {
        didSet { byteCount = max(byteCount, response?.body.count ?? 0) }
    }

    /// The limits that the playlist exceeds.
    package internal(set) var exceededLimits: [PlaylistLimit] = []

    /// Whether the oldest new segments were dropped because the memory budget was exhausted.
    package internal(set) var isShortened = false

    /// The memory reservation for the segments.
    package internal(set) var reservation: SegmentMemory.Reservation?

    /// The duration of the load.
    package let duration: Duration

    /// The processor time that the playlist took within the load.
    package internal(set) var processorTime = Duration.zero

    /// The status of the server's response, or nil without one.
    package var status: Int? { response?.status }

    /// The number of bytes received.
    package private(set) var byteCount = 0

    init(update: PlaylistUpdate, duration: Duration, secrets: InputSecrets = InputSecrets()) {
        self.update = update
        self.secrets = secrets
        self.duration = duration
    }

    /// Frees the response body, which is not needed after the segments were extracted.
    package mutating func releaseBody() { response?.body = [] }

    /// Keeps the `maximumCount` newest segments, and returns whether any were dropped.
    package mutating func keepNewest(_ maximumCount: Int) -> Bool {
        guard segments.count > maximumCount else { return false }
        segments.removeFirst(segments.count - maximumCount)
        if !segments.isEmpty { segments[0].isContinuation = false }
        return true
    }
}

/// A response of a server without secrets.
package struct PrintableResponse: Sendable {
    /// The header fields whose values are not secret; of others, only the name is printed.
    private static let plainFields: Set<String> = [
        "accept-ranges", "age", "cache-control", "cache-status", "cf-cache-status", "content-encoding",
        "content-length", "content-range", "content-type", "date", "etag", "expires", "last-modified",
        "retry-after", "server", "transfer-encoding", "vary", "via", "x-amz-cf-pop", "x-cache",
        "x-cache-hits", "x-served-by", "x-timer",
    ]

    private let response: HTTPResponse
    private let secrets: InputSecrets

    fileprivate init(_ response: HTTPResponse, hiding secrets: InputSecrets) {
        self.response = response
        self.secrets = secrets
    }

    /// The address of the response, after redirects.
    package var url: String { secrets.hidden(inURL: response.url) }

    /// The status code.
    package var status: Int { response.status }

    /// The number of bytes in the body.
    package var byteCount: Int { response.body.count }

    /// The header fields as lines.
    package var headerLines: [String] {
        response.headers.fields.map { field in
            let isPlain = Self.plainFields.contains(field.name.lowercased())
            let value = isPlain ? secrets.hidden(inText: field.value) : "…"
            return "\(secrets.hidden(inText: field.name)): \(value)"
        }
    }

    /// Returns the text of the playlist in the body, up to `maximumByteCount` bytes of it.
    package func playlist(maximumByteCount: Int) -> String {
        secrets.hidden(inPlaylist: response.body.prefix(maximumByteCount))
    }
}
