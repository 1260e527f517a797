extension MarketProfile {
    /// The rules for an app that does not name its market: the widest of all guides.
    ///
    /// Only `type` is required.
    package static let unknown = MarketProfile(
        id: "unknown", facilities: [], market: nil, platforms: [], interface: .app,
        appRules: [
            MetadataRule("appid", .text(), required: true, GuideSource(.norwayAudio, "SDK initialization"))
        ],
        channelRules: [
            MetadataRule("dataSrc", .words(["id3", "cms"]), mobileTV),
            MetadataRule("adModel", .words(["0", "1", "2"]), mobileTV),
        ],
        tables: [AssetTable("All assets", AssetType.allCases, rules)],
        limits: [
            ValueLimit(
                keys: ["section"], count: 25,
                source: GuideSource(.norwayAudio, "Configure static metadata")),
            ValueLimit(
                keys: ["segA", "segB", "segC"], count: 25,
                source: GuideSource(.norwayAudio, "Configure static metadata")),
        ],
        stringValues: nil,
        playhead: PlayheadRule(
            interval: 1, isWhole: false, isUnixTimeLive: true, source: GuideSource(.norwayAudio, "SDK events")
        ),
        optOut: OptOutRule(
            flavors: OptOutRule.Flavor.allCases, continuesMarked: nil,
            source: GuideSource(.norwayAudio, "Privacy and opt-out")))

    private static let mobileTV = GuideSource(.appSDK, "Appendix A, mTVR")
    private static let norway = GuideSource(.norwayAudio, "Create content metadata")

    private static let rules = [
        MetadataRule("type", .words(AssetType.allCases.map(\.rawValue)), required: true, norway),
        MetadataRule("assetid", .identifier(maximumLength: 64, punctuation: "._-="), norway),
        MetadataRule("program", .text(maximumLength: 254), norway),
        MetadataRule("title", .text(maximumLength: 254), norway),
        MetadataRule("length", .seconds, norway),
        MetadataRule("airdate", .airdate(AirdateForm.allCases), norway),
        MetadataRule("isfullepisode", .words(["y", "n", "yes", "no"]), norway),
        MetadataRule("adloadtype", .words(["1", "2"]), norway),
        MetadataRule("adModel", .words(["0", "1", "2"]), mobileTV),
        MetadataRule("dataSrc", .words(["id3", "cms"]), mobileTV),
        MetadataRule("stationType", .words(["0", "1", "2", "3", "4"]), norway),
    ]
}
