extension MarketProfile {
    /// Digital TV ratings in the United States through the Simplified API.
    public static let simplifiedTV = MarketProfile(
        id: "us-simplified", facilities: ["us", "drm", "cert"], market: .us, platforms: [.ios],
        interface: .tracked, appRules: appRules, channelRules: [],
        tables: [joint, television] + shared, limits: limits, stringValues: strings, playhead: playheads,
        optOut: choice)

    /// Digital Content Ratings in the United States, whose only guide is that of the Simplified API.
    public static let simplifiedContent = MarketProfile(
        id: "dcr-simplified", facilities: ["dcr"], market: .dcr, platforms: [.ios], interface: .tracked,
        appRules: appRules, channelRules: [],
        tables: [joint, content] + shared, limits: limits, stringValues: strings, playhead: playheads,
        optOut: choice)

    private static let initialization = GuideSource(.simplified, "SDK initialization")
    private static let contentMetadata = GuideSource(.simplified, "Content metadata")
    private static let adMetadata = GuideSource(.simplified, "Ad metadata")
    private static let staticMetadata = GuideSource(.simplified, "Static metadata")
    private static let strings = GuideSource(.simplified, "Simplified API syntax, supported values")

    private static let appRules = [
        MetadataRule("appid", .text(), required: true, initialization),
        MetadataRule("appname", .text(), initialization),
        MetadataRule("appversion", .text(), initialization),
        MetadataRule("sfcode", .words(["us", "drm", "dcr"]), required: true, initialization),
        MetadataRule(
            "nol_devDebug", .words(["debug", "info", "warn", "error"]),
            GuideSource(.simplified, "Debug flag for development environment")),
    ]

    private static let playheads = PlayheadRule(
        interval: nil, isWhole: true, isUnixTimeLive: true,
        source: GuideSource(.simplified, "Digital Content Ratings, playheadPosition"))

    private static let choice = OptOutRule(
        flavors: [.system, .page, .atStart], continuesMarked: nil,
        source: GuideSource(.simplified, "Privacy and opt-out"))

    private static let limits = [
        ValueLimit(keys: ["segA", "segB", "segC"], count: 25, source: staticMetadata)
    ]

    private static let types = MetadataRule.Form.words(
        ["content", "ad", "static", "preroll", "midroll", "postroll"])

    /// Both products in one integration, which the keys of both ad models show.
    private static let joint = AssetTable(
        "Content of DCR and DTVR", [.content], if: .hasKeys(["admodel", "adloadtype"]),
        [
            MetadataRule("type", types, required: true, contentMetadata),
            MetadataRule("length", .seconds, required: true, contentMetadata),
            MetadataRule("adModel", .words(["1", "2"]), contentMetadata),
            MetadataRule("adloadtype", .words(["1", "2"]), contentMetadata),
            MetadataRule("airdate", .airdate(simplifiedAirdates), contentMetadata),
        ])

    private static let television = AssetTable(
        "Content of DTVR", [.content],
        [
            // `channel.too-long` is the finding for the length.
            MetadataRule("channelName", .text(), required: true, contentMetadata),
            MetadataRule("type", types, required: true, contentMetadata),
            MetadataRule("adModel", .words(["1", "2"]), required: true, contentMetadata),
        ])

    private static let content = AssetTable(
        "Content of DCR", [.content],
        [
            MetadataRule("assetName", .text(maximumLength: 100), required: true, contentMetadata),
            MetadataRule(
                "assetid", .identifier(maximumLength: nil, punctuation: "._-"), required: true,
                contentMetadata),
            MetadataRule("length", .seconds, required: true, contentMetadata),
            MetadataRule("program", .text(maximumLength: 100), required: true, contentMetadata),
            MetadataRule("segB", .text(), contentMetadata),
            MetadataRule("segC", .text(), contentMetadata),
            MetadataRule("title", .text(maximumLength: 100), required: true, contentMetadata),
            MetadataRule("type", types, required: true, contentMetadata),
            MetadataRule("section", .text(), required: true, contentMetadata),
            MetadataRule("airdate", .airdate(simplifiedAirdates), required: true, contentMetadata),
            MetadataRule("isfullepisode", .words(["y", "n"]), required: true, contentMetadata),
            // The table requires it, and the Objective-C sample has none.
            MetadataRule("crossId1", .text(), contentMetadata),
            // Required of distributors only.
            MetadataRule("crossId2", .text(), contentMetadata),
            MetadataRule("adloadtype", .words(["1", "2"]), required: true, contentMetadata),
        ])

    /// The forms of air dates in guide 003.
    static let simplifiedAirdates: [AirdateForm] = [
        .basic, .digits, .extended, .extendedJoined, .basicJoined, .monthFirst,
    ]

    /// The tables of both products.
    private static let shared = [
        AssetTable(
            "Ads", AssetType.placedAds + [.ad],
            [
                MetadataRule(
                    "assetid", .identifier(maximumLength: nil, punctuation: "._-"), required: true,
                    adMetadata),
                MetadataRule("title", .text(), adMetadata),
                // The table requires it, and the Objective-C sample has none.
                MetadataRule("adldx", .text(), adMetadata),
                MetadataRule("adIdx", .text(), GuideSource(.simplified, "Managing ads")),
                MetadataRule("type", types, required: true, adMetadata),
                MetadataRule("length", .seconds, adMetadata),
            ]),
        simplifiedPages,
    ]

    /// The static pages of guide 003.
    static let simplifiedPages = AssetTable(
        "Static pages", [.static],
        [
            MetadataRule("type", types, required: true, staticMetadata),
            // The table requires it, and the samples of "Putting it all together" have none.
            MetadataRule("assetid", .identifier(maximumLength: nil, punctuation: "._-"), staticMetadata),
            MetadataRule("section", .text(), required: true, staticMetadata),
            MetadataRule("segA", .text(maximumLength: 25), required: true, staticMetadata),
            MetadataRule("segB", .text(), staticMetadata),
            MetadataRule("segC", .text(), staticMetadata),
        ])
}
