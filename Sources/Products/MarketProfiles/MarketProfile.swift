/// The metadata that a market requires, according to its guide.
public struct MarketProfile: Sendable, Hashable {
    /// The codes of the collection facilities (`sfcode`) that use the profile.
    public let facilities: [String]
    /// The rules for the keys.
    public let rules: [MetadataRule]

    /// Returns the profile of a collection facility; that of the United States if no market has the code.
    ///
    /// - Parameter facility: the `sfcode`, without regard to case.
    public static func profile(of facility: String) -> MarketProfile {
        let code = facility.lowercased()
        return all.first { $0.facilities.contains(code) } ?? unitedStates
    }

    /// DTVR in the United States, which identifies programs by their tags.
    public static let unitedStates = MarketProfile(
        facilities: ["us", "drm", "cert"],
        rules: rules(assetIDLength: 32, nameLength: 100, required: ["assetid"]))

    /// DCR in Ireland, Italy and Norway, and DCR without a country.
    public static let digitalContentRatings = MarketProfile(
        facilities: ["dcr", "ire", "it", "no"],
        rules: rules(assetIDLength: 32, nameLength: 100, required: dcrRequired))

    /// DCR in Poland, which allows longer ids and names.
    public static let poland = MarketProfile(
        facilities: ["pl"], rules: rules(assetIDLength: 64, nameLength: 254, required: dcrRequired))

    /// All profiles.
    public static let all = [unitedStates, digitalContentRatings, poland]

    private static let dcrRequired: Set<String> = [
        "assetid", "program", "title", "length", "airdate", "isfullepisode", "adloadtype",
    ]

    /// The rules of every market for the screen that shows the picture.
    ///
    /// `casting` and `chromecast` are from guide 003, "The New API", `ottData`; the others from guide 004, "updateOTT",
    /// and the guides of Italy and Poland (guide 000), "updateOTT".
    static let screenRules = [
        MetadataRule("ottStatus", .words(["0", "1"]), requiredFor: Set(AssetType.allCases)),
        MetadataRule("ottType", .words(["casting", "airplay", "mirroring", "other"])),
        MetadataRule("ottDevice", .words(["chromecast", "airplay", "appletv", "other"])),
        MetadataRule("ottDeviceModel", .text(maximumLength: nil)),
        MetadataRule("ottDeviceID", .text(maximumLength: nil)),
    ]

    /// The keys without a rule that apps may set, as the guides spell them.
    static let otherKeys = [
        "appid", "appname", "appversion", "sfcode", "dma", "ccode", "longitude", "latitude", "uoo", "optout",
        "containerId", "enableFpid", "nol_devDebug", "channelName", "crossId1", "crossId2", "isAudio",
        "progen",
        "clientid", "subbrand", "ocrtag", "tv", "prod", "pd", "tfid", "sid", "censuscategory", "mediaURL",
        "segA", "segB", "segC", "section", "ottStatus", "ottType", "ottDevice", "ottDeviceModel",
        "ottDeviceID",
    ]

    private static func rules(
        assetIDLength: Int, nameLength: Int, required: Set<String>
    ) -> [MetadataRule] {
        func content(_ key: String) -> Set<AssetType> { required.contains(key) ? [.content] : [] }
        let assets: Set<AssetType> =
            required.contains("assetid") ? [.content, .preroll, .midroll, .postroll, .ad, .static] : []
        return [
            MetadataRule(
                "type", .words(AssetType.allCases.map(\.rawValue)), requiredFor: Set(AssetType.allCases)),
            MetadataRule("assetid", .identifier(maximumLength: assetIDLength), requiredFor: assets),
            MetadataRule("program", .text(maximumLength: nameLength), requiredFor: content("program")),
            MetadataRule("title", .text(maximumLength: nameLength), requiredFor: content("title")),
            MetadataRule("length", .seconds, requiredFor: content("length")),
            MetadataRule("airdate", .airdate, requiredFor: content("airdate")),
            MetadataRule("isfullepisode", .words(["y", "n"]), requiredFor: content("isfullepisode")),
            MetadataRule("adloadtype", .words(["1", "2"]), requiredFor: content("adloadtype")),
            MetadataRule("adModel", .words(["0", "1", "2"])),
            MetadataRule("dataSrc", .words(["id3", "cms"])),
            MetadataRule("stationType", .words(["0", "1", "2", "3", "4"])),
        ]
    }
}

/// The asset types of the guides.
public enum AssetType: String, Sendable, Hashable, CaseIterable {
    /// The main content.
    case content
    /// An advertisement before the content.
    case preroll
    /// An advertisement within the content.
    case midroll
    /// An advertisement after the content.
    case postroll
    /// An advertisement in any position.
    case ad
    /// A radio program.
    case radio
    /// A page without video.
    case `static`

    /// Whether the type is an advertisement.
    public var isAd: Bool {
        switch self {
        case .preroll, .midroll, .postroll, .ad: true
        case .content, .radio, .static: false
        }
    }
}
