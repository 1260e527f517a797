import HLSPlaylist
package import HTTPTransfer
package import HostSystem

/// A live channel on the network: where it is, and how its playlists and segments are fetched.
package struct LiveInput: Sendable {
    /// The channel's id, as its operator named it.
    package let channel: String

    /// The address of its multivariant or media playlist, as its operator gave it.
    package let url: String

    let fetcher: ResourceFetcher
    /// What its requests wait in.
    private let owner: TransferOwner
    /// What the segments of its playlists that are not read yet take.
    let memory: SegmentMemory
    let allowsPrivateAddresses: Bool
    let clock: any HostClock

    /// The most bytes that a segment of a live channel may have.
    package static let maximumSegmentByteCount: UInt64 = 256 << 20

    /// A channel of which nothing was loaded.
    ///
    /// - Parameters:
    ///   - headers: header fields for the host of `url`, and no other; they are never part of an error.
    ///   - connection: how connections are made; its client certificate is for that host too, and no other.
    ///   - fetcher: what all channels share: connections and threads.
    ///   - share: how many of its requests run at a time while other channels have some too.
    ///   - segmentListByteCount: how many bytes the segments of its playlists may take while they wait to be read, near
    ///     enough.
    ///   - allowsPrivateAddresses: whether a playlist at a public address may name private ones.
    package init(
        channel: String, url: String, headers: HTTPHeaders = HTTPHeaders(),
        connection: ConnectionSettings = ConnectionSettings(), fetcher: ResourceFetcher,
        share: Int = 16, segmentListByteCount: Int = 32 << 20, allowsPrivateAddresses: Bool = false,
        clock: any HostClock = .system
    ) {
        self.channel = channel
        self.url = url
        self.allowsPrivateAddresses = allowsPrivateAddresses
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

    /// How many of its requests run at a time.
    package var share: Int {
        get { owner.share }
        nonmutating set { owner.share = newValue }
    }

    /// Whether it had more than twice as many requests at a time as its share lets run, since the last call.
    package func takeExceededShare() -> Bool { owner.takeExceededShare() }

    /// The media playlists of the channel that a choice means, the most important first; never none.
    ///
    /// - Parameter maximumCount: how many at most; the others are left out.
    /// - Throws: `InputError` where the address cannot be loaded, or names nothing of that choice.
    package func open(
        _ choice: RenditionChoice, maximumCount: Int = .max
    ) async throws(InputError) -> [LiveRenditionPlace] {
        try await fetcher.onThread { () async throws(InputError) in
            let opened = try await openPlaylist()
            switch try opened.playlist() {
            case .media:
                return [LiveRenditionPlace(uri: nil, address: url, policy: .any)]
            case .multivariant(let playlist):
                let index = RenditionIndex(playlist)
                let uris = choice.uris(in: index)
                if uris.isEmpty, case .uri(let name) = choice { throw .noSuchRendition(name, playlist: url) }
                if uris.isEmpty { throw .damagedPlaylist(url, reason: "names no media playlist") }
                var places: [LiveRenditionPlace] = []
                for uri in uris.prefix(maximumCount) {
                    var place = try self.place(of: uri, in: index, at: opened)
                    place.index = places.count
                    place.isOneOfTooMany = uris.count > maximumCount
                    place.followedCount = max(1, min(uris.count, maximumCount))
                    places.append(place)
                }
                return places
            }
        }
    }

    /// The place that a rendition of another source of this channel has here; nil where there is none like it.
    ///
    /// - Throws: `InputError` where the address cannot be loaded.
    package func counterpart(of place: LiveRenditionPlace) async throws(InputError) -> LiveRenditionPlace? {
        try await fetcher.onThread { () async throws(InputError) in try await reopen(place) }
    }

    /// The place that a rendition has now, whose address may have expired: the multivariant playlist names it anew.
    ///
    /// - Returns: nil where the channel has none like it any more.
    func reopen(_ place: LiveRenditionPlace) async throws(InputError) -> LiveRenditionPlace? {
        let opened = try await openPlaylist()
        var found: LiveRenditionPlace
        switch try opened.playlist() {
        case .media:
            if place.uri != nil { return nil }
            found = LiveRenditionPlace(uri: nil, address: url, policy: .any)
        case .multivariant(let playlist):
            let index = RenditionIndex(playlist)
            let listed = place.uri.flatMap { index[$0] == nil ? nil : $0 }
            guard let uri = place.role.flatMap({ index.uri(of: $0) }) ?? listed else { return nil }
            found = try self.place(of: uri, in: index, at: opened)
        }
        found.index = place.index
        found.followedCount = place.followedCount
        return found
    }

    private func openPlaylist() async throws(InputError) -> OpenedInput {
        guard case .network = InputAddress(argument: url) else {
            throw .unsupportedScheme("none of HTTP's", reference: url)
        }
        let opened = try await OpenedInput.open(
            .network(url), standardInput: -1, fetcher: fetcher, policy: .any, isNamedByUser: false)
        if opened.bytes.isEmpty { throw .empty(url) }
        guard opened.isPlaylist else {
            throw .notPlaylist(url, likely: UnknownContent.likely(opened.bytes))
        }
        return opened
    }

    private func place(
        of uri: String, in index: RenditionIndex, at opened: OpenedInput
    ) throws(InputError) -> LiveRenditionPlace {
        var place = LiveRenditionPlace(
            uri: uri, address: try opened.address.resolving(uri).text,
            policy: opened.origin.policyForReferences(allowsPrivateAddresses: allowsPrivateAddresses))
        let entry = index[uri]
        place.role = entry?.role
        place.bandwidth = entry?.bandwidth
        place.audio = entry?.audio
        place.isComparable = entry?.isComparable ?? false
        place.variables = index.playlist.variables
        place.exceededLimits = index.playlist.problems.exceededLimits
        return place
    }
}
