extension MarketProfile {
    /// Ireland, with the guide for iOS.
    public static let irelandIOS = ireland("ireland-ios", .ios, .irelandIOS)

    /// Ireland, with the guide for Android.
    public static let irelandAndroid = ireland("ireland-android", .android, .irelandAndroid)

    private static func ireland(_ id: String, _ platform: Platform, _ guide: Guide) -> MarketProfile {
        let ratings = ContentRatings(
            guide: guide, assetIDLength: 32, nameLength: 100, airdates: [.basic],
            contentSection: "Create content metadata", adSection: "Create ad metadata")
        let instance = GuideSource(guide, "Create SDK instance")
        return MarketProfile(
            id: id, facilities: ["ire"], market: .ire, platforms: [platform], interface: .app,
            appRules: [
                MetadataRule("appid", .text(), required: true, instance),
                MetadataRule("appname", .text(), required: true, instance),
                MetadataRule("appversion", .text(), required: true, instance),
                MetadataRule("sfcode", .words(["ire"]), required: true, instance),
                MetadataRule("nol_devDebug", .words(ContentRatings.logLevels), instance),
            ],
            channelRules: ratings.channel("Create channelName metadata", required: true),
            tables: [
                AssetTable("Content", [.content], ratings.content() + ratings.optional(["segB", "segC"])),
                AssetTable("Ads", AssetType.placedAds, ratings.ads()),
                ratings.pages("Create metadata objects"),
            ],
            limits: [], stringValues: GuideSource(guide, "Create metadata objects"),
            playhead: ratings.playheads("playheadPosition"),
            optOut: OptOutRule(
                flavors: [.atStart], continuesMarked: nil,
                source: GuideSource(guide, "Privacy and opt-out")))
    }
}
