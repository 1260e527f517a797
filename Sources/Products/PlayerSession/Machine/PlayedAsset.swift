import MarketProfiles

/// What is played, as `loadMetadata` said it.
struct PlayedAsset: Sendable, Hashable {
    private(set) var metadata: Metadata

    init(_ metadata: Metadata) { self.metadata = metadata }

    /// How many characters of a text are kept, as of a channel's name: a record has room for them beside its tag.
    static let maximumTextLength = 4_096

    /// The asset's id; nil where none was given.
    var id: String? { text("assetid") }

    /// The type as the player gave it; nil where it gave none.
    var typeText: String? { text("type") }

    /// The index of the advertisement in its break, which tells two with one id apart; nil where none was given.
    var index: String? { metadata.text("adidx") ?? metadata.text("adldx") }

    /// Whether the id or the type is longer than what is kept of it.
    var isTruncated: Bool {
        ["assetid", "type"].contains { metadata.text($0)?.count ?? 0 > Self.maximumTextLength }
    }

    private func text(_ key: String) -> String? {
        metadata.text(key).map { String($0.prefix(Self.maximumTextLength)) }
    }

    /// Whether it is an advertisement.
    var isAd: Bool { typeText.flatMap { AssetType(rawValue: $0.lowercased()) }?.isAd ?? false }

    /// Whether both are one asset: the same type, the same id with the same index or, where there is none, the same metadata.
    func isSame(as other: PlayedAsset) -> Bool {
        guard typeText?.lowercased() == other.typeText?.lowercased() else { return false }
        if id != nil || other.id != nil { return id == other.id && index == other.index }
        return metadata.says(the: other.metadata)
    }

    mutating func correct(with other: Metadata) { metadata = metadata.updated(with: other) }
}
