import HLSInput
import HLSPlaylist
import HTTPTransfer
import HostSystem
import NielsenID3
import StreamHealth

extension LiveInput {
    /// Whether this is the backup of the channel.
    var isBackup: Bool { source == .backup }

    /// Returns the rendition of a place as the channel's health names it.
    func rendition(_ place: LiveRenditionPlace) -> ChannelRendition {
        let uri = place.printableURI
        let name = isBackup ? uri.map { "backup: \($0)" } ?? "backup" : uri
        return ChannelRendition(
            id: place.id, name: name, role: place.name, audio: place.audioName,
            isComparable: place.isComparable)
    }

    /// Returns the name under which the buffer stores the read position of a rendition.
    func reader(of place: LiveRenditionPlace) -> String {
        let name = isBackup ? "\(channel)/backup:" : channel
        return place.name.map { "\(name)/\($0)" } ?? name
    }

    /// Creates the input of an address of a channel with its services.
    init(_ url: String, as source: RenditionID.Source, in context: ChannelContext) {
        let services = context.services
        self.init(
            context.settings, url, as: source, fetcher: services.fetcher,
            share: context.use.maximumTransferCount,
            allowsPrivateAddresses: services.allowsPrivateAddresses, clock: services.clock)
    }

    /// Creates the input of an address of a channel without loading anything.
    init(
        _ settings: ChannelSettings, _ url: String, as source: RenditionID.Source, fetcher: ResourceFetcher,
        share: Int = 16, allowsPrivateAddresses: Bool, clock: any HostClock = .system
    ) {
        var headers = HTTPHeaders()
        for header in settings.headers { headers.append(header.name, header.value) }
        self.init(
            channel: settings.id, source: source, url: url,
            otherURL: source == .primary ? settings.backup : settings.url, headers: headers,
            connection: settings.connection, fetcher: fetcher, share: share,
            segmentListByteCount: min(settings.policy.count(.channelMemory), 1 << 20) << 20,
            allowsPrivateAddresses: allowsPrivateAddresses, tagPolicy: settings.policy.tagPolicy, clock: clock
        )
        staleLimit = StaleLimit(settings.policy)
    }
}
