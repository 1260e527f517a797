extension MarketProfile {
    /// Apps in Italy: static pages, video and audio.
    public static let italyApp = MarketProfile(
        id: "italy-app", facilities: ["it"], market: .it, platforms: [.ios, .android], interface: .app,
        appRules: [
            MetadataRule("appid", .text(), required: true, initialization),
            MetadataRule("appname", .text(), required: true, initialization),
            MetadataRule("appversion", .text(), required: true, initialization),
            // The tables require it, and the Android sample has none.
            MetadataRule("sfcode", .words(["it"]), initialization),
            MetadataRule("nol_devDebug", .words(ContentRatings.logLevels), initialization),
            MetadataRule(
                "containerId", .positiveInteger,
                GuideSource(.italyVideo, "Initializing the Nielsen AppSDK to measure the viewability")),
        ],
        channelRules: ratings.channel("Configure metadata", required: true),
        tables: [
            AssetTable(
                "Audio content", [.content], if: .hasValue("isaudio", "true"),
                ratings.content("Audio content metadata", of: .italyAudioIOS, isAudio: true)),
            AssetTable("Video content", [.content], ratings.content()),
            AssetTable("Ads", AssetType.placedAds, ratings.ads()),
            AssetTable(
                "Static pages", [.static],
                [
                    MetadataRule("type", .words(["static"]), required: true, staticMetadata),
                    MetadataRule(
                        "assetid", .identifier(maximumLength: nil, punctuation: "._-"), required: true,
                        staticMetadata),
                    // The guide prints the form of iOS; that of Android follows from it.
                    MetadataRule("section", .section(["iOS", "Android"]), required: true, staticMetadata),
                ]),
        ],
        limits: [], stringValues: GuideSource(.italyVideo, "Handling JSON metadata"),
        playhead: ratings.playheads("SDK events"),
        optOut: OptOutRule(
            flavors: [.system, .page, .atStart], continuesMarked: true,
            source: GuideSource(.italyVideo, "Privacy and opt-out")))

    /// Audio and video in browsers in Italy.
    public static let italyBrowser = MarketProfile(
        id: "italy-browser", facilities: [], market: .it, platforms: [.browser], interface: .browser,
        appRules: [
            MetadataRule("apid", .text(), required: true, instance),
            MetadataRule("instanceName", .text(), required: true, instance),
            MetadataRule("nol_sdkDebug", .words(ContentRatings.logLevels), instance),
        ],
        channelRules: [],
        tables: [
            AssetTable(
                "Audio content", [.content], if: .hasValue("isaudio", "true"),
                browserRatings.content("Audio content metadata", isAudio: true)),
            AssetTable("Video content", [.content], browserRatings.content("Video content metadata")),
            AssetTable("Ads", AssetType.placedAds, browserRatings.ads()),
        ],
        limits: [], stringValues: GuideSource(.italyAudioBrowser, "Example audio content object"),
        playhead: browserRatings.playheads("Events"),
        optOut: OptOutRule(
            flavors: [.cookie], continuesMarked: nil,
            source: GuideSource(.italyAudioBrowser, "Nielsen opt-out")))

    /// The `vars` of AMP pages in Italy.
    public static let italyAMP = MarketProfile(
        id: "italy-amp", facilities: [], market: .it, platforms: [.amp], interface: .page,
        appRules: [
            MetadataRule("apid", .text(), required: true, keys),
            MetadataRule("prefix", .text(), required: true, keys),
            MetadataRule("apv", .text(), required: true, keys),
            MetadataRule("apn", .text(), required: true, keys),
        ],
        channelRules: [],
        tables: [
            AssetTable(
                "Pages", [.content, .static],
                [
                    MetadataRule("section", .text(), required: true, keys),
                    // The table requires both, and the text below it does not.
                    MetadataRule("segA", .text(), keys), MetadataRule("segB", .text(), keys),
                    MetadataRule("segC", .words(["Google AMP"]), required: true, keys),
                ])
        ],
        limits: [], stringValues: nil,
        playhead: PlayheadRule(interval: 1, isWhole: true, isUnixTimeLive: false, source: keys),
        optOut: OptOutRule(
            flavors: [.cookie], continuesMarked: nil, source: GuideSource(.italyAMP, "Privacy policy")))

    private static let initialization = GuideSource(.italyVideo, "SDK initialization")
    private static let staticMetadata = GuideSource(.italyStatic, "Nielsen SDK metadata")
    private static let instance = GuideSource(.italyAudioBrowser, "Initialization API call")
    private static let keys = GuideSource(.italyAMP, "Metadata keys")

    // Every guide lists both values of `adloadtype`; a rule of `dtvr certify` asks for 2.
    // "YYYYMMDD HH24:MI:SS", with `19700101 00:00:00` for an unknown date.
    private static let ratings = ContentRatings(
        guide: .italyVideo, assetIDLength: 32, nameLength: 100, airdates: [.basic])
    private static let browserRatings = ContentRatings(
        guide: .italyAudioBrowser, assetIDLength: 32, nameLength: 100, airdates: [.basic],
        adSection: "Ad metadata object")
}
