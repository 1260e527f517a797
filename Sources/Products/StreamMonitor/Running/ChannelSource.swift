import HLSInput
import HTTPTransfer
import StreamHealth

/// The primary or the backup address of a channel.
struct ChannelSource: Sendable {
    /// The input that fetches its playlists and segments.
    let input: LiveInput
    /// Whether this is the backup.
    let isBackup: Bool

    /// The first rendition index of a backup; the primary's indices are lower.
    private static let firstIndexOfBackup = 1_000

    /// Creates a source without loading anything.
    init(_ url: String, isBackup: Bool, in context: ChannelContext) {
        let (settings, services) = (context.settings, context.services)
        var headers = HTTPHeaders()
        for header in settings.headers { headers.append(header.name, header.value) }
        input = LiveInput(
            channel: settings.id, url: url, headers: headers, connection: settings.connection,
            fetcher: services.fetcher, share: context.use.maximumTransferCount,
            segmentListByteCount: min(settings.policy.count(.channelMemory), 1 << 20) << 20,
            allowsPrivateAddresses: services.allowsPrivateAddresses,
            tagPolicy: settings.policy.tagPolicy, clock: services.clock)
        self.isBackup = isBackup
    }

    /// Returns a rendition of this source with an index that is unique within the channel.
    func numbered(_ place: LiveRenditionPlace) -> LiveRenditionPlace {
        var place = place
        if isBackup { place.index += Self.firstIndexOfBackup }
        return place
    }

    /// Returns the rendition of a place as the channel's health names it.
    func rendition(_ place: LiveRenditionPlace) -> ChannelRendition {
        let name = isBackup ? place.uri.map { "backup: \($0)" } ?? "backup" : place.uri
        return ChannelRendition(
            index: place.index, name: name, audio: place.audio, isComparable: place.isComparable)
    }

    /// Returns the name under which the buffer stores the read position of a rendition.
    func reader(of place: LiveRenditionPlace, in channel: String) -> String {
        let name = isBackup ? "\(channel)/backup:" : channel
        return place.name.map { "\(name)/\($0)" } ?? name
    }
}
