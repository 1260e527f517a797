extension MarketProfile {
    /// App SDK 3.2 in the United States: mobile TV, DPR, OCR, VideoCensus and IAG, and radio.
    public static let unitedStates = MarketProfile(
        id: "us-app", facilities: ["us", "drm", "cert"], market: .us, platforms: [.ios], interface: .app,
        appRules: [
            app("appid", required: true), app("appname", required: true), app("appversion", required: true),
            app("sfcode", required: true), app("dma"), app("ccode"),
            app("latitude", GuideSource(.appSDK, "Appendix A, DRM")),
            app("longitude", GuideSource(.appSDK, "Appendix A, DRM")),
        ],
        channelRules: [
            // `channel.too-long` is the finding for the length.
            MetadataRule("channelName", .text(), mobileTV),
            MetadataRule("dataSrc", .words(["id3", "cms"]), mobileTV),
            MetadataRule("adModel", .words(["0", "1", "2"]), mobileTV),
        ],
        tables: [
            AssetTable("Content", [.content], program(isAssetIDRequired: true)),
            AssetTable("Online Campaign Ratings", [.ad], if: .hasKeys(["ocrtag"]), campaign),
            AssetTable("Ads", AssetType.placedAds + [.ad], program(isAssetIDRequired: false)),
            AssetTable(
                "Radio", [.radio],
                [
                    MetadataRule("type", .words(["radio"]), required: true, radio),
                    MetadataRule("dataSrc", .words(["cms"]), radio),
                    MetadataRule("assetid", .text(), radio),
                    MetadataRule("stationType", .words(["0", "1", "2", "3"]), radio),
                    MetadataRule("provider", .text(), radio),
                ]),
            simplifiedPages,
        ],
        limits: [], stringValues: nil,
        playhead: PlayheadRule(
            interval: 2, isWhole: true, isUnixTimeLive: false,
            source: GuideSource(.appSDK, "5.4 playheadPosition")),
        optOut: OptOutRule(
            flavors: [.page], continuesMarked: nil, source: GuideSource(.appSDK, "7.2 Opt-out")))

    private static let appInfo = GuideSource(.appSDK, "Appendix A, AppInfo")
    private static let programInfo = GuideSource(.appSDK, "Appendix A, ProgramInfo")
    private static let ratings = GuideSource(.appSDK, "Appendix A, DPR")
    /// Guide 002 has no limit for names; that of the newer guide of the market holds.
    private static let names = GuideSource(.simplified, "Content metadata")
    private static let mobileTV = GuideSource(.appSDK, "Appendix A, mTVR")
    private static let radio = GuideSource(.appSDK, "Appendix A, DRM")

    private static func app(
        _ key: String, required: Bool = false, _ source: GuideSource = appInfo
    ) -> MetadataRule {
        MetadataRule(key, .text(), required: required, source)
    }

    /// Section 5.4 requires `assetid` with every `type`; the samples of advertisements have none.
    private static func program(isAssetIDRequired: Bool) -> [MetadataRule] {
        [
            MetadataRule(
                "type", .words(["content", "preroll", "midroll", "postroll", "ad"]), required: true,
                GuideSource(.appSDK, "5.4 loadMetadata")),
            MetadataRule(
                "assetid", .identifier(maximumLength: nil, punctuation: "._-"), required: isAssetIDRequired,
                GuideSource(.appSDK, "5.4 loadMetadata")),
            MetadataRule("title", .text(maximumLength: 100), names),
            MetadataRule("length", .seconds, programInfo),
            MetadataRule("category", .text(), programInfo),
            MetadataRule("subcategory", .text(), GuideSource(.appSDK, "Appendix A, IAG")),
            MetadataRule("censuscategory", .text(), programInfo),
            MetadataRule("ocrTag", .address, campaignSource),
            MetadataRule("tv", .words(["true", "false"]), programInfo),
            MetadataRule("dataSrc", .words(["id3", "cms"]), ratings),
            MetadataRule("adModel", .words(["0", "1", "2"]), mobileTV),
            MetadataRule("program", .text(maximumLength: 100), names),
            // Guide 002 has none of these; the newer guide of the market has.
            MetadataRule("airdate", .airdate(simplifiedAirdates), names),
            MetadataRule("isfullepisode", .words(["y", "n"]), names),
            MetadataRule("adloadtype", .words(["1", "2"]), names),
            MetadataRule("dprflag", .text(), GuideSource(.appSDK, "5.4 loadMetadata")),
            MetadataRule("ocrflag", .text(), GuideSource(.appSDK, "5.4 loadMetadata")),
            MetadataRule("prod", .text(), programInfo), MetadataRule("pd", .text(), programInfo),
            MetadataRule("tfid", .text(), programInfo), MetadataRule("sid", .text(), programInfo),
            MetadataRule("iag_epi", .text(), GuideSource(.appSDK, "Appendix A, IAG")),
            MetadataRule("iag_seg", .text(), GuideSource(.appSDK, "Appendix A, IAG")),
            MetadataRule("iag_pgm", .text(), GuideSource(.appSDK, "Appendix A, IAG")),
        ]
    }

    private static let campaign = [
        MetadataRule("type", .words(["ad"]), required: true, campaignSource),
        MetadataRule("ocrTag", .address, required: true, campaignSource),
    ]
    private static let campaignSource = GuideSource(.appSDK, "Appendix A, OCR")
}
