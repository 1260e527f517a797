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
    ///   - allowsPrivateAddresses: whether a playlist at a public address may name private ones.
    package init(
        channel: String, url: String, headers: HTTPHeaders = HTTPHeaders(),
        connection: ConnectionSettings = ConnectionSettings(), fetcher: ResourceFetcher,
        allowsPrivateAddresses: Bool = false, clock: any HostClock = .system
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
        self.fetcher = fetcher
    }

    /// The media playlists of the channel that a choice means, the most important first; never none.
    ///
    /// - Throws: `InputError` where the address cannot be loaded, or names nothing of that choice.
    package func open(_ choice: RenditionChoice) async throws(InputError) -> [LiveRenditionPlace] {
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
                for uri in uris {
                    var place = try self.place(of: uri, in: index, at: opened)
                    place.index = places.count
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
