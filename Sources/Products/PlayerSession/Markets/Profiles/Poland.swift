extension MarketProfile {
    /// Poland.
    public static let poland = MarketProfile(
        id: "poland", facilities: ["pl"], market: .pl, platforms: [.ios], interface: .app,
        appRules: [
            MetadataRule("appid", .text(), required: true, initialization),
            MetadataRule("appname", .text(), initialization),
            MetadataRule("sfcode", .words(["pl"]), required: true, initialization),
            MetadataRule("nol_devDebug", .words(ContentRatings.logLevels), initialization),
            MetadataRule(
                "enableFpid", .words(["true", "false"]), GuideSource(.poland, "First Party ID (FPID)")),
        ],
        channelRules: ratings.channel("ChannelName metadata", required: false),
        tables: [
            AssetTable(
                "Content", [.content],
                ratings.content()
                    + ratings.optional(["progen", "segB", "segC", "crossId1", "clientid", "subbrand"])),
            AssetTable("Ads", AssetType.placedAds, ratings.ads()),
            ratings.pages("Sample API sequence"),
        ],
        limits: [], stringValues: GuideSource(.poland, "Handling JSON metadata"),
        playhead: ratings.playheads("Life cycle of SDK instance"),
        optOut: OptOutRule(
            flavors: [.system, .page], continuesMarked: true,
            source: GuideSource(.poland, "Privacy and opt-out")))

    private static let initialization = GuideSource(.poland, "SDK initialization")

    private static let ratings = ContentRatings(
        guide: .poland, assetIDLength: 64, punctuation: "_-",
        // An id of an ad has no special characters, and a sample has `ad=123`.
        adPunctuation: "_-=", nameLength: 254, namesExclude: "\\",
        airdates: [
            .extended, .extendedJoined, .zoned, .basicJoined, .basic, .monthFirst, .monthFirstSlashed,
        ],
        // The table has y and n, and the sample `Yes`.
        fullEpisodes: ["y", "n", "yes", "no"])
}
