import MarketProfiles

/// The asset that is playing, as `loadMetadata` described it.
struct PlayedAsset: Sendable, Hashable {
    /// All that the player told about it.
    let metadata: Metadata

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

    /// Returns the asset with corrected or completed metadata.
    func corrected(with other: Metadata) -> PlayedAsset { PlayedAsset(metadata.updated(with: other)) }
}

/// The different values of `segA`, `segB` and `segC` that an app has used.
struct AppSegments: Sendable {
    /// The maximum number of different values of all three together.
    private static let maximumCount = 25

    /// The values, at most one more than allowed.
    private var values: Set<String> = []

    /// Adds the values of metadata, and finds the first one too many.
    mutating func add(_ metadata: Metadata, _ step: inout SessionStep) {
        for key in ["sega", "segb", "segc"] {
            guard let value = metadata.text(key), values.count <= Self.maximumCount else { continue }
            values.insert(value)
            if values.count > Self.maximumCount { step.find(.keyValue) }
        }
    }
}

/// The identity of an asset in the Simplified API.
struct TrackedAsset: Sendable, Hashable {
    let type: String
    let id: String?
    /// The index of an advertisement, which distinguishes two with the same id.
    let index: String?

    var isAd: Bool { type == "ad" }
}

/// An event of the Simplified API, whose single object describes everything.
struct TrackedEvent: Sendable {
    /// The kind of the event, in lower case.
    let kind: String
    /// The user's choice; nil if the event has none.
    let choice: String?
    /// The playhead; nil if the event has none.
    let playhead: MetadataValue?
    /// The newest tag; nil if the event has none.
    let tag: MetadataValue?
    /// The screen that shows the picture; nil if the event has none.
    let screen: MetadataValue?
    /// The asset of the event, and its metadata with the channel of the content.
    let asset: TrackedAsset
    let metadata: Metadata

    /// Parses an event.
    ///
    /// - Parameter names: the standard names of the app's keys, by the app's key in lower case.
    init(_ data: Metadata, names: [String: String]) {
        func object(_ value: MetadataValue?) -> Metadata? { value.flatMap { Metadata($0, names: names) } }
        // `MetadataValue?.none`, because a bare `nil` may also be the value `.null`, which would count as a tag.
        func value(_ key: String) -> MetadataValue? {
            data[key].flatMap { $0 == .text("") ? MetadataValue?.none : $0 }
        }
        kind = data.text("event")?.lowercased() ?? "playhead"
        choice = data.text("optout")
        playhead = value("playheadposition")
        tag = value("id3data")
        screen = value("ottdata")
        let type = data.text("type")?.lowercased() ?? "content"
        let parts = object(data["metadata"]) ?? Metadata()
        let part = object(parts[type]) ?? Metadata()
        var defaults = [MetadataValue.Member("type", .text(type))]
        if let channel = object(parts["content"])?["channelname"] {
            defaults.append(.init("channelName", channel))
        }
        metadata = Metadata(members: defaults).updated(with: part)
        let asset = PlayedAsset(part)
        self.asset = TrackedAsset(type: type, id: asset.id, index: asset.index)
    }
}
