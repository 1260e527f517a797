import HLSInput

/// The primary or the backup address of a channel.
struct ChannelSource: Sendable {
    /// The input that fetches its playlists and segments.
    let input: LiveInput
    /// Whether this is the backup.
    let isBackup: Bool

    /// The first rendition index of a backup; the primary's indices are lower.
    private static let firstIndexOfBackup = 1_000

    /// Returns a rendition of this source with an index that is unique within the channel.
    func numbered(_ place: LiveRenditionPlace) -> LiveRenditionPlace {
        var place = place
        if isBackup { place.index += Self.firstIndexOfBackup }
        return place
    }

    /// Whether a rendition index belongs to a backup.
    static func isOfBackup(_ rendition: Int) -> Bool { rendition >= firstIndexOfBackup }

    /// Returns the name under which the buffer stores the read position of a rendition.
    func reader(of place: LiveRenditionPlace, in channel: String) -> String {
        let name = isBackup ? "\(channel)/backup:" : channel
        return place.name.map { "\(name)/\($0)" } ?? name
    }
}
