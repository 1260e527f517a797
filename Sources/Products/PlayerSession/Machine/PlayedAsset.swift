import MarketProfiles

/// The asset that is playing, as `loadMetadata` described it.
struct PlayedAsset: Sendable, Hashable {
    private(set) var metadata: Metadata

    init(_ metadata: Metadata) { self.metadata = metadata }

    /// The maximum number of characters stored of a text, also of a channel name: a record has room for them next to
    /// its tag.
    static let maximumTextLength = 4_096

    /// The id of the asset; nil if none was given.
    var id: String? { text("assetid") }

    /// The type as the player gave it; nil if none was given.
    var typeText: String? { text("type") }

    /// The index of an advertisement in its break, which distinguishes two with the same id; nil if none was given.
    var index: String? { metadata.text("adidx") ?? metadata.text("adldx") }

    /// Whether the id or the type is longer than the stored part.
    var isTruncated: Bool {
        ["assetid", "type"].contains { metadata.text($0)?.count ?? 0 > Self.maximumTextLength }
    }

    private func text(_ key: String) -> String? {
        metadata.text(key).map { String($0.prefix(Self.maximumTextLength)) }
    }

    /// Whether the asset is an advertisement.
    var isAd: Bool { typeText.flatMap { AssetType(rawValue: $0.lowercased()) }?.isAd ?? false }

    /// Whether both are the same asset: the same type, and the same id and index.
    ///
    /// If neither has an id, the same metadata.
    func isSame(as other: PlayedAsset) -> Bool {
        guard typeText?.lowercased() == other.typeText?.lowercased() else { return false }
        if id != nil || other.id != nil { return id == other.id && index == other.index }
        return metadata.says(the: other.metadata)
    }

    mutating func correct(with other: Metadata) { metadata = metadata.updated(with: other) }
}
