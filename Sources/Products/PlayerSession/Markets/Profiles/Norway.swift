extension MarketProfile {
    /// Audio in Norway.
    ///
    /// The text of the guide has lost the marks in the column "Required": a key of content counts as required if both
    /// samples of the section have it.
    public static let norwayAudio = MarketProfile(
        id: "norway-audio", facilities: ["no"], market: .no, platforms: [.ios], interface: .app,
        appRules: [
            MetadataRule("appid", .text(), required: true, initialization),
            MetadataRule("nol_devDebug", .words(ContentRatings.logLevels), initialization),
        ],
        channelRules: ratings.channel("Create channelName metadata", required: false),
        tables: [
            AssetTable(
                "Content", [.content],
                ratings.content(isAudio: true) + [
                    // The table requires it, and no sample has it.
                    MetadataRule("scheduledEndDate", .airdate(ratings.airdates), contentMetadata),
                    MetadataRule("stationType", .words(["0", "1", "2", "3", "4"]), contentMetadata),
                    MetadataRule("stationId", .text(), contentMetadata),
                    MetadataRule("clientid", .text(), contentMetadata),
                    MetadataRule("subbrand", .text(), contentMetadata),
                    MetadataRule("progen", .text(maximumLength: 254), contentMetadata),
                ]),
            AssetTable(
                "Ads", AssetType.placedAds + [.ad], ratings.ads(types: AssetType.placedAds + [.ad])),
            AssetTable(
                "Static pages", [.static],
                [
                    MetadataRule("type", .words(["static"]), required: true, staticMetadata),
                    // Without special characters, and the sample has a blank.
                    MetadataRule("section", .text(), required: true, staticMetadata),
                    MetadataRule("segA", .text(), staticMetadata),
                    MetadataRule("segB", .text(), staticMetadata),
                    MetadataRule("segC", .text(), staticMetadata),
                ]),
        ],
        limits: [
            ValueLimit(keys: ["section"], count: 25, source: staticMetadata),
            ValueLimit(keys: ["segA", "segB", "segC"], count: 25, source: staticMetadata),
        ],
        stringValues: GuideSource(.norwayAudio, "Handling JSON metadata"),
        playhead: ratings.playheads("SDK events"),
        optOut: OptOutRule(
            flavors: [.system, .page, .atStart], continuesMarked: true,
            source: GuideSource(.norwayAudio, "Privacy and opt-out")))

    private static let initialization = GuideSource(.norwayAudio, "SDK initialization")
    private static let contentMetadata = GuideSource(.norwayAudio, "Create content metadata")
    private static let staticMetadata = GuideSource(.norwayAudio, "Configure static metadata")

    private static let ratings = ContentRatings(
        guide: .norwayAudio, assetIDLength: 64, nameLength: 254,
        // The list has no `YYYYMMDD HH:MI:SS`, and both samples use it.
        airdates: [
            .extended, .extendedJoined, .zoned, .basicJoined, .monthFirst, .monthFirstSlashed, .basic,
        ],
        // The table has y and n, and a sample `Yes`.
        fullEpisodes: ["y", "n", "yes", "no"], contentSection: "Create content metadata")
}
