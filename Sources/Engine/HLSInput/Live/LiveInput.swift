package import HLSPlaylist
package import HTTPTransfer
package import HostSystem
package import NielsenID3

/// A live channel on the network: its address and the settings for fetching its playlists and segments.
package struct LiveInput: Sendable {
    /// The channel ID assigned by the operator.
    package let channel: String

    /// Whether this is the primary or the backup of the channel.
    package let source: RenditionID.Source

    /// The configured address of the multivariant or media playlist.
    let url: String

    /// The configured address without its secrets, as in the tags of the channel.
    package let printableURL: String

    /// The secrets that are hidden in everything that the input returns for output.
    let secrets: InputSecrets

    private(set) var fetcher: ResourceFetcher
    /// The limit on requests beyond those of playback.
    let pace: RequestPace
    /// The owner under which the channel's requests are queued.
    private let owner: TransferOwner
    /// The memory budget for segments that are listed but not yet read.
    let memory: SegmentMemory
    let allowsPrivateAddresses: Bool
    let tagPolicy: TagPolicy
    /// The time without a new segment after which a playlist is reported as stale.
    package var staleLimit = StaleLimit()
    let clock: any HostClock

    /// The maximum size of a live segment, in bytes.
    package static let maximumSegmentByteCount: UInt64 = 256 << 20

    /// The number of bytes of a segment that are collected before they are processed, so that a small segment resumes
    /// its reader once.
    private static let chunkByteCount = 128 << 10

    /// Creates a channel without loading anything.
    ///
    /// - Parameters:
    ///   - otherURL: The address of the channel's other source, whose secrets are hidden too.
    ///   - headers: Header fields that are sent only to the host of `url` and never appear in errors.
    ///   - connection: The connection settings; the client certificate is also used only for that host.
    ///   - fetcher: The connections and threads, shared by all channels.
    ///   - share: The number of concurrent requests while other channels have requests too.
    ///   - segmentListByteCount: The approximate maximum memory for segments of its playlists that wait to be read, in
    ///     bytes.
    ///   - allowsPrivateAddresses: Whether a playlist at a public address may reference private addresses.
    ///   - tagPolicy: The policy that determines the problems of each tag.
    package init(
        channel: String, source: RenditionID.Source = .primary, url: String,
        otherURL: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
        connection: ConnectionSettings = ConnectionSettings(), fetcher: ResourceFetcher,
        share: Int = 16, segmentListByteCount: Int = 32 << 20, allowsPrivateAddresses: Bool = false,
        tagPolicy: TagPolicy = TagPolicy(), clock: any HostClock = .system
    ) {
        self.channel = channel
        self.source = source
        self.url = url
        secrets = InputSecrets(
            addresses: [url, otherURL, connection.proxy].compactMap { $0 }, headers: headers)
        printableURL = secrets.hidden(inURL: url)
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.tagPolicy = tagPolicy
        self.clock = clock
        var fetcher = fetcher
        fetcher.limits.maximumSegmentByteCount = Self.maximumSegmentByteCount
        fetcher.chunkByteCount = Self.chunkByteCount
        fetcher.use(connection, headers: headers, for: url)
        owner = TransferOwner(share: share)
        memory = SegmentMemory(maximumByteCount: segmentListByteCount)
        fetcher.owner = owner
        pace = RequestPace(clock: clock)
        fetcher.pace = pace
        fetcher.cookies = CookieJar()
        self.fetcher = fetcher
    }

    /// The number of concurrent requests while other channels have requests too.
    package var share: Int {
        get { owner.share }
        nonmutating set { owner.share = newValue }
    }

    /// Returns whether more than twice the share of requests were concurrent since the last call.
    package func takeExceededShare() -> Bool { owner.takeExceededShare() }

    /// Returns the chosen media playlists of the channel, most important first, and at least one.
    ///
    /// - Parameter maximumCount: The maximum number of playlists; the rest is ignored.
    /// - Throws: `InputError` if the address cannot be loaded or has no playlist that matches the choice.
    package func open(
        _ choice: RenditionChoice, maximumCount: Int = .max
    ) async throws(InputError) -> [LiveRenditionPlace] {
        try await load { () async throws(InputError) in
            let opened = try await openPlaylist()
            switch try opened.playlist() {
            case .media:
                return [onlyPlace]
            case .multivariant(let playlist):
                let index = RenditionIndex(playlist)
                let uris = try index.uris(of: choice, in: url)
                var places: [LiveRenditionPlace] = []
                for uri in uris.prefix(maximumCount) {
                    var place = try self.place(of: uri, in: index, at: opened)
                    place.id = RenditionID(places.count, of: source)
                    place.isOneOfTooMany = uris.count > maximumCount
                    place.followedCount = max(1, min(uris.count, maximumCount))
                    places.append(place)
                }
                return places
            }
        }
    }

    /// Returns the corresponding rendition in this source of the channel, or nil if there is none.
    ///
    /// - Throws: `InputError` if the address cannot be loaded.
    package func counterpart(of place: LiveRenditionPlace) async throws(InputError) -> LiveRenditionPlace? {
        try await load { () async throws(InputError) in try updated(place, in: try await openPlaylist()) }
    }

    /// The input for a search or a retry, whose requests are all beyond those of playback.
    var paced: LiveInput {
        var input = self
        input.fetcher.pacesAllRequests = true
        return input
    }

    /// Runs work on the threads of the fetcher and hides the secrets in its error.
    private func load<Result>(
        _ work: () async throws(InputError) -> sending Result
    ) async throws(InputError) -> Result {
        do throws(InputError) {
            return try await fetcher.onThread(work)
        } catch {
            throw secrets.hidden(inError: error)
        }
    }

    /// Returns the current place of a rendition according to a multivariant playlist, or nil if it is not listed.
    func updated(_ place: LiveRenditionPlace, in opened: OpenedInput) throws(InputError)
        -> LiveRenditionPlace?
    {
        var found: LiveRenditionPlace
        switch try opened.playlist() {
        case .media:
            if place.uri != nil { return nil }
            found = onlyPlace
        case .multivariant(let playlist):
            let index = RenditionIndex(playlist)
            let listed = place.uri.flatMap { index[$0] == nil ? nil : $0 }
            let current = place.role.flatMap { index.uri(of: $0, redundancy: place.redundancy) }
            guard let uri = current ?? listed else { return nil }
            found = try self.place(of: uri, in: index, at: opened)
            // A redundant playlist takes the place of the rendition, which keeps its name.
            found.role = place.role ?? found.role
            found.redundancy = place.redundancy
        }
        found.id = RenditionID(place.id.index, of: source)
        found.followedCount = place.followedCount
        return found
    }

    /// Returns the place of a media playlist in the multivariant playlist.
    private func place(
        of uri: String, in index: RenditionIndex, at opened: OpenedInput
    ) throws(InputError) -> LiveRenditionPlace {
        var place = try index.rendition(uri, at: opened, allowsPrivateAddresses: allowsPrivateAddresses)
        place.secrets = secrets.including([opened.address.text, place.address.text])
        return place
    }

    /// The place of a media playlist without a multivariant playlist.
    private var onlyPlace: LiveRenditionPlace {
        var place = LiveRenditionPlace(uri: nil, address: .network(url), policy: .any)
        place.secrets = secrets
        place.id = RenditionID(0, of: source)
        return place
    }

    /// Loads the address of the channel.
    func openPlaylist() async throws(InputError) -> OpenedInput {
        guard case .network = InputAddress(argument: url) else {
            throw .unsupportedScheme("non-HTTP", reference: url)
        }
        let opened = try await OpenedInput.open(
            .network(url), standardInput: -1, fetcher: paced.fetcher, policy: .any, isNamedByUser: false)
        if opened.bytes.isEmpty { throw .empty(url) }
        guard opened.isPlaylist else {
            throw .notPlaylist(url, likely: InputError.likelyFormat(of: opened.bytes))
        }
        return opened
    }
}
