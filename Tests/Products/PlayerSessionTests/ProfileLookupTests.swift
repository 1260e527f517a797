import Testing

@testable import PlayerSession

@Suite struct ProfileLookupTests {
    @Test(
        arguments: [
            ("us", PlayerInterface.app, "us-app"), ("US", .app, "us-app"), ("drm", .app, "us-app"),
            ("cert", .browser, "us-app"), ("us", .tracked, "us-simplified"),
            ("dcr", .app, "dcr-simplified"),
            ("dcr", .tracked, "dcr-simplified"), ("ire", .app, "ireland-ios"),
            ("no", .app, "norway-audio"),
            ("it", .app, "italy-app"), ("it", .browser, "italy-browser"), ("pl", .app, "poland"),
            ("true", .app, "unknown"), ("", .app, "unknown"),
        ] as [(String, PlayerInterface, String)])
    func profile_forAFacility_matchesItsMarket(facility: String, interface: PlayerInterface, id: String) {
        #expect(MarketProfile.profile(of: facility, interface: interface).id == id)
    }

    @Test func profile_withoutAFacility_isForAnUnknownMarket() {
        #expect(MarketProfile.profile(of: nil, interface: .app).id == "unknown")
        #expect(MarketProfile.profile(of: nil, interface: .browser).id == "italy-browser")
        #expect(MarketProfile.interfaces(of: nil) == [])
        #expect(MarketProfile.interfaces(of: "us") == [.app, .tracked])
        #expect(MarketProfile.interfaces(of: "dcr") == [.tracked])
    }

    @Test(
        arguments: [
            (Market.us, Platform?.none, "us-app"), (.us, .browser, "us-app"), (.dcr, nil, "dcr-simplified"),
            (.ire, nil, "ireland-ios"), (.ire, .android, "ireland-android"), (.no, nil, "norway-audio"),
            (.it, nil, "italy-app"), (.it, .android, "italy-app"), (.it, .browser, "italy-browser"),
            (.it, .amp, "italy-amp"), (.pl, .ios, "poland"), (.pl, .amp, "poland"),
        ] as [(Market, Platform?, String)])
    func profile_forAMarketAndPlatform_matchesItsGuide(market: Market, platform: Platform?, id: String) {
        #expect(MarketProfile.profile(of: market, platform: platform)?.id == id)
    }

    @Test func everyMarket_hasAProfile() {
        for market in Market.allCases { #expect(MarketProfile.profile(of: market)?.market == market) }
        #expect(MarketProfile.profile(of: .us, interface: .tracked)?.id == "us-simplified")
    }

    @Test func profileIDs_areUnique() {
        #expect(Set(MarketProfile.all.map(\.id)).count == MarketProfile.all.count)
    }

    /// Findings display these texts.
    @Test func sources_nameGuidePageAndSection() {
        let sources = [
            GuideSource(.simplified, "Content metadata"), GuideSource(.poland, "Ad metadata"),
        ]
        #expect(
            sources.map(\.description) == [
                "guide 003, Content metadata", "guide 000, DCR Poland Video iOS, Ad metadata",
            ])
        #expect(Guide.allCases.allSatisfy { !$0.title.isEmpty })
    }

    @Test func audioContent_inItaly_hasItsOwnTable() throws {
        let audio = Metadata(members: [.init("type", "content"), .init("isAudio", "true")])
        #expect(MarketProfile.italyApp.table(for: audio)?.name == "Audio content")
        let video = Metadata(members: [.init("type", "content")])
        #expect(MarketProfile.italyApp.table(for: video)?.name == "Video content")
    }
}
