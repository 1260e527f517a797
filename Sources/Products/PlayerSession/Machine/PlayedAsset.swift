/// The asset that is playing, as `loadMetadata` described it.
struct PlayedAsset: Sendable, Hashable {
    /// All that the player told about it.
    let metadata: Metadata
    /// The id of the asset; nil if none was given.
    let id: String?
    /// The type as the player gave it; nil if none was given.
    let typeText: String?

    init(_ metadata: Metadata) {
        func text(_ key: String) -> String? {
            metadata.text(key).map { String($0.prefix(Self.maximumTextLength)) }
        }
        self.metadata = metadata
        id = text("assetid")
        typeText = text("type")
    }

    /// The maximum number of characters stored of a text, also of a channel name: a record has room for them next to
    /// its tag.
    static let maximumTextLength = 4_096

    /// The index of an advertisement in its break, which distinguishes two with the same id; nil if none was given.
    var index: String? { metadata.text("adidx") ?? metadata.text("adldx") }

    /// Whether the id or the type is longer than the stored part.
    var isTruncated: Bool {
        ["assetid", "type"].contains { metadata.text($0)?.count ?? 0 > Self.maximumTextLength }
    }

    /// Whether the asset is an advertisement.
    var isAd: Bool { type?.isAd ?? false }

    /// Whether the asset is a page without video.
    var isPage: Bool { type == .static }

    /// Whether the asset is audio, which may play in the background (guide 001, "Interruptions during playback").
    var isAudio: Bool { metadata["isaudio"]?.isOn == true || type == .radio }

    private var type: AssetType? { typeText.flatMap { AssetType(text: $0) } }

    /// Whether both are the same asset: the same type, and the same id and index.
    ///
    /// If neither has an id, the same metadata. Another section of a page is another one: the guides measure the time
    /// of each section (guide 000, "DCR Italy Static iOS", "Overview").
    func isSame(as other: PlayedAsset) -> Bool {
        guard typeText?.lowercased() == other.typeText?.lowercased() else { return false }
        if isPage, metadata.text("section") != other.metadata.text("section") { return false }
        if id != nil || other.id != nil { return id == other.id && index == other.index }
        return metadata.says(the: other.metadata)
    }

    /// Returns the asset with corrected or completed metadata.
    func corrected(with other: Metadata) -> PlayedAsset { PlayedAsset(metadata.updated(with: other)) }
}

/// The different values that an app has used for the keys whose values the market limits.
struct LimitedValues: Sendable {
    /// The values of each limit, by its keys: at most one more than allowed.
    private var values: [[String]: Set<String>] = [:]

    /// Adds the values of metadata, and finds the first one too many of each limit.
    mutating func add(_ metadata: Metadata, _ step: inout SessionStep) {
        for limit in step.profile.limits {
            for key in limit.keys {
                guard let value = metadata.text(key.lowercased()) else { continue }
                let count = values[limit.keys]?.count ?? 0
                guard count <= limit.count else { continue }
                values[limit.keys, default: []].insert(String(value.prefix(PlayedAsset.maximumTextLength)))
                if values[limit.keys, default: []].count > limit.count {
                    step.find(
                        .keyValue, key: key, value: .text(value), expected: limit.expectation,
                        source: limit.source.description)
                }
            }
        }
    }
}

/// The identity of an asset in the Simplified API.
struct TrackedAsset: Sendable, Hashable {
    let type: String
    let id: String?
    /// The index of an advertisement, which distinguishes two with the same id.
    let index: String?
    /// The section of a page; nil for any other asset.
    let section: String?

    var isAd: Bool { type == "ad" }

    /// Whether both have the same type and id, with any index.
    func hasSameID(as other: TrackedAsset) -> Bool { type == other.type && id == other.id }
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
    /// The content that an advertisement interrupts or precedes; nil if the event has none.
    let content: PlayedAsset?

    /// Returns whether the event ends an advertisement: `adStop` may already have the index of the next one (guide 003,
    /// "Managing ads").
    func ends(_ last: TrackedAsset?) -> Bool {
        guard kind == "adstop", let last else { return false }
        return last.isAd && last.hasSameID(as: asset)
    }

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
        let channel = object(parts["content"])?["channelname"].map { MetadataValue.Member("channelName", $0) }
        func described(_ type: String) -> Metadata {
            let defaults = [MetadataValue.Member("type", .text(type))] + (channel.map { [$0] } ?? [])
            return Metadata(members: defaults).updated(with: object(parts[type]) ?? Metadata())
        }
        // The sample of guide 003, "Managing ads", passes the index beside the metadata.
        let index = data.members.filter { type == "ad" && ["adidx", "adldx"].contains($0.key.lowercased()) }
        metadata = described(type).updated(with: Metadata(members: index))
        let hasContent = type == "ad" && object(parts["content"])?.members.isEmpty == false
        content = hasContent ? PlayedAsset(described("content")) : nil
        let asset = PlayedAsset(metadata)
        let section = asset.isPage ? metadata.text("section") : nil
        self.asset = TrackedAsset(type: type, id: asset.id, index: asset.index, section: section)
    }
}
