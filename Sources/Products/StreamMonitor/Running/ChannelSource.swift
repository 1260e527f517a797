import HLSInput
import HLSPlaylist
import HTTPTransfer
import NielsenID3
import StreamHealth

/// The primary or the backup address of a channel.
struct ChannelSource: Sendable {
    /// The input that fetches its playlists and segments.
    let input: LiveInput
    /// Whether this is the backup.
    var isBackup: Bool { input.source == .backup }

    /// Creates a source without loading anything.
    init(_ url: String, as source: RenditionID.Source, in context: ChannelContext) {
        let (settings, services) = (context.settings, context.services)
        var headers = HTTPHeaders()
        for header in settings.headers { headers.append(header.name, header.value) }
        var input = LiveInput(
            channel: settings.id, source: source, url: url,
            otherURL: source == .primary ? settings.backup : settings.url, headers: headers,
            connection: settings.connection, fetcher: services.fetcher,
            share: context.use.maximumTransferCount,
            segmentListByteCount: min(settings.policy.count(.channelMemory), 1 << 20) << 20,
            allowsPrivateAddresses: services.allowsPrivateAddresses,
            tagPolicy: settings.policy.tagPolicy, clock: services.clock)
        input.staleLimit = StaleLimit(settings.policy)
        self.input = input
    }

    /// Returns the rendition of a place as the channel's health names it.
    func rendition(_ place: LiveRenditionPlace) -> ChannelRendition {
        let uri = place.printableURI
        let name = isBackup ? uri.map { "backup: \($0)" } ?? "backup" : uri
        return ChannelRendition(
            id: place.id, name: name, role: place.name, audio: place.audioName,
            isComparable: place.isComparable)
    }

    /// Returns the name under which the buffer stores the read position of a rendition.
    func reader(of place: LiveRenditionPlace, in channel: String) -> String {
        let name = isBackup ? "\(channel)/backup:" : channel
        return place.name.map { "\(name)/\($0)" } ?? name
    }
}
