import HLSPlaylist
package import HTTPTransfer
package import HostSystem
package import NielsenID3
package import TagPolicy

/// A live channel on the network: its address and the settings for fetching its playlists and segments.
package struct LiveInput: Sendable {
    /// The channel ID assigned by the operator.
    package let channel: String

    /// Whether this is the primary or the backup of the channel.
    package let source: RenditionID.Source

    /// The configured address of the multivariant or media playlist.
    package let url: String

    let fetcher: ResourceFetcher
    /// The owner under which the channel's requests are queued.
    private let owner: TransferOwner
    /// The memory budget for segments that are listed but not yet read.
    let memory: SegmentMemory
    let allowsPrivateAddresses: Bool
    let tagPolicy: TagPolicy
    let clock: any HostClock

    /// The maximum size of a live segment, in bytes.
    package static let maximumSegmentByteCount: UInt64 = 256 << 20

    /// Creates a channel without loading anything.
    ///
    /// - Parameters:
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
        headers: HTTPHeaders = HTTPHeaders(),
        connection: ConnectionSettings = ConnectionSettings(), fetcher: ResourceFetcher,
        share: Int = 16, segmentListByteCount: Int = 32 << 20, allowsPrivateAddresses: Bool = false,
        tagPolicy: TagPolicy = TagPolicy(), clock: any HostClock = .system
    ) {
        self.channel = channel
        self.source = source
        self.url = url
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.tagPolicy = tagPolicy
        self.clock = clock
        var fetcher = fetcher
        fetcher.limits.maximumSegmentByteCount = Self.maximumSegmentByteCount
        fetcher.connection = connection
        fetcher.connection.clientCertificateFile = nil
        fetcher.hostCredentials = HostCredentials(
            headers: headers, certificateFile: connection.clientCertificateFile, url: url)
        owner = TransferOwner(share: share)
        memory = SegmentMemory(maximumByteCount: segmentListByteCount)
        fetcher.owner = owner
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
        try await fetcher.onThread { () async throws(InputError) in
            let opened = try await openPlaylist()
            switch try opened.playlist() {
            case .media:
                return [onlyPlace]
            case .multivariant(let playlist):
                let index = RenditionIndex(playlist)
                let uris = try index.uris(of: choice, in: url)
                var places: [LiveRenditionPlace] = []
                for uri in uris.prefix(maximumCount) {
                    var place = try index.rendition(
                        uri, at: opened, allowsPrivateAddresses: allowsPrivateAddresses)
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
        try await fetcher.onThread { () async throws(InputError) in try await reopen(place) }
    }

    /// Looks up the current address of a rendition, which may have expired, in the multivariant playlist.
    ///
    /// - Returns: The updated rendition, or nil if the channel no longer has one like it.
    func reopen(_ place: LiveRenditionPlace) async throws(InputError) -> LiveRenditionPlace? {
        let opened = try await openPlaylist()
        var found: LiveRenditionPlace
        switch try opened.playlist() {
        case .media:
            if place.uri != nil { return nil }
            found = onlyPlace
        case .multivariant(let playlist):
            let index = RenditionIndex(playlist)
            let listed = place.uri.flatMap { index[$0] == nil ? nil : $0 }
            guard let uri = place.role.flatMap({ index.uri(of: $0) }) ?? listed else { return nil }
            found = try index.rendition(uri, at: opened, allowsPrivateAddresses: allowsPrivateAddresses)
        }
        found.id = RenditionID(place.id.index, of: source)
        found.followedCount = place.followedCount
        return found
    }

    /// The place of a media playlist without a multivariant playlist.
    private var onlyPlace: LiveRenditionPlace {
        var place = LiveRenditionPlace(uri: nil, address: .network(url), policy: .any)
        place.id = RenditionID(0, of: source)
        return place
    }

    private func openPlaylist() async throws(InputError) -> OpenedInput {
        guard case .network = InputAddress(argument: url) else {
            throw .unsupportedScheme("non-HTTP", reference: url)
        }
        let opened = try await OpenedInput.open(
            .network(url), standardInput: -1, fetcher: fetcher, policy: .any, isNamedByUser: false)
        if opened.bytes.isEmpty { throw .empty(url) }
        guard opened.isPlaylist else {
            throw .notPlaylist(url, likely: UnknownContent.likely(opened.bytes))
        }
        return opened
    }
}
