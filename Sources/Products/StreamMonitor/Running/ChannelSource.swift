import HLSInput

/// One of the addresses of a channel: the primary, or the backup.
struct ChannelSource: Sendable {
    /// How its playlists and segments are fetched.
    let input: LiveInput
    /// Whether it is the backup.
    let isBackup: Bool

    /// The first index of a backup's renditions: those of the primary come before it.
    private static let firstIndexOfBackup = 1_000

    /// A rendition of it, told apart from those of the other source.
    func numbered(_ place: LiveRenditionPlace) -> LiveRenditionPlace {
        var place = place
        if isBackup { place.index += Self.firstIndexOfBackup }
        return place
    }

    /// Whether a rendition is one of a backup's.
    static func isOfBackup(_ rendition: Int) -> Bool { rendition >= firstIndexOfBackup }

    /// By what the buffer remembers how far a rendition was read.
    func reader(of place: LiveRenditionPlace, in channel: String) -> String {
        let name = isBackup ? "\(channel)/backup:" : channel
        return place.name.map { "\(name)/\($0)" } ?? name
    }
}
