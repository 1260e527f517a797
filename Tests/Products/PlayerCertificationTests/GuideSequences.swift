import PlayerSession
import Testing

/// A sequence of calls that a guide prints, with the times of a viewer, its market and its platform.
struct GuideSequence: Sendable, CustomTestStringConvertible {
    let name: String
    /// The guide and the section.
    let source: String
    let market: Market?
    let platform: Platform?
    let make: @Sendable () -> PlayerScript

    init(
        _ name: String, _ source: String, _ market: Market?, _ platform: Platform? = nil,
        _ make: @escaping @Sendable () -> PlayerScript
    ) {
        (self.name, self.source, self.market, self.platform, self.make) = (
            name, source, market, platform, make
        )
    }

    var testDescription: String { name }

    /// Returns the sequence with a name.
    static func named(_ name: String) -> GuideSequence? { all.first { $0.name == name } }

    private static let guid = "0000D7A1-0000-4000-8000-00000000D7A1"

    /// Starts the app of a market, with the choice of the user where the guide makes it mandatory.
    private static func start(_ facility: String?, choosing isOut: Bool = false) -> PlayerScript {
        var script = PlayerScript()
        let market = facility.map { ",\"sfcode\":\"\($0)\"" } ?? ""
        script.call(
            "init", "{\"appid\":\"T\(guid)\",\"appname\":\"Player\",\"appversion\":\"1.0\"\(market)}")
        if isOut { script.call("userOptOut", "\"nielsenappsdk://1\"") }
        return script
    }

    /// Plays content with a preroll of 30 s, a midroll of 15 s, and a postroll.
    private static func playWithAds(
        _ script: inout PlayerScript, channel: String?, content: String, stopsBeforeAds: Bool = false,
        interruptsMidroll: Bool = false, passesPositions: Bool = false
    ) {
        func ad(_ type: String, _ id: String) -> String { "{\"type\":\"\(type)\",\"assetid\":\"\(id)\"}" }
        func stop(_ script: inout PlayerScript, _ position: Int) {
            if passesPositions { script.call("stop", String(position)) } else { script.call("stop") }
        }
        play(channel, in: &script)
        script.load(content)
        script.load(ad("preroll", "ad123"))
        script.playheads(0..<30)
        stop(&script, 29)
        script.load(content)
        script.playheads(0..<60)
        if stopsBeforeAds { stop(&script, 59) }
        script.load(ad("midroll", "ad124"))
        script.playheads(0..<8)
        if interruptsMidroll {
            script.call("stop")
            script.at += 40
            script.load(ad("midroll", "ad124"))
        }
        script.playheads(8..<15)
        stop(&script, 14)
        script.load(content)
        script.playheads(60..<90)
        if stopsBeforeAds { stop(&script, 89) }
        if passesPositions { script.call("end", "89") } else { script.call("end") }
        script.load(ad("postroll", "ad125"))
        script.playheads(0..<15)
        stop(&script, 14)
    }

    /// Plays content, with a pause of 60 s after the first 60 s.
    private static func playWithoutAds(
        _ script: inout PlayerScript, channel: String?, content: String, reloads: Bool = true,
        seconds: Int = 120, from start: Int = 0, isLive: Bool = false
    ) {
        play(channel, in: &script)
        script.load(content)
        script.playheads(start..<start + 60)
        script.call("stop")
        script.at += 60
        if reloads { script.load(content) }
        let next = start + (isLive ? 120 : 60)
        script.playheads(next..<next + seconds - 60)
        script.call("end")
    }

    /// Calls `play`, bare for an empty channel; nil for no call.
    private static func play(_ channel: String?, in script: inout PlayerScript) {
        guard let channel else { return }
        if channel.isEmpty { script.call("play") } else { script.call("play", channel) }
    }

    /// Shows a page for 20 s.
    private static func show(_ page: String, in script: inout PlayerScript) {
        script.load(page)
        script.at += 20
    }

    // MARK: Metadata of the guides

    private static let norway = """
        {"type":"content","isAudio":"true","assetid":"C77664","title":"S2,E3","isfullepisode":"y",\
        "program":"Program Name","length":"3600","airdate":"20200321 10:05:00","adloadtype":"2"}
        """
    private static let norwayPage = """
        {"type":"static","section":"Section Name","segA":"segmentA","segB":"segmentB","segC":"en-us"}
        """
    private static let ireland = """
        {"type":"content","assetid":"88675545","title":"Program S3, EP1","isfullepisode":"y",\
        "program":"Program Name","length":"3600","airdate":"20200321 10:05:00","adloadtype":"2",\
        "segB":"ChannelName","segC":"PlayerName"}
        """
    private static let poland = """
        {"type":"content","assetid":"vid345-67483","title":"Program S2, E3","isfullepisode":"y",\
        "program":"Program Name","length":"3600","airdate":"20171020 10:05:00","adloadtype":"2",\
        "segB":"CustomSegmentValueB","segC":"CustomSegmentValueC"}
        """
    private static let italy = """
        {"type":"content","assetid":"88675545","title":"Program S3, EP1","isfullepisode":"y","adloadtype":"2",\
        "program":"Program Name","length":"3600","airdate":"20171020 10:05:00"}
        """
    private static let italyAudio = italy.replacing("{\"type\"", with: "{\"isAudio\":\"true\",\"type\"")
    private static let program = """
        {"type":"content","tv":"true","category":"MyProgramCategory","assetid":"MyContentAssetId",\
        "title":"MyEpisodeTitle","length":"3600"}
        """
    private static let simplified = """
        {"assetName":"Big Buck Bunny","assetid":"B66473","length":"3600","program":"MyProgram",\
        "segB":"CustomSegmentValueB","segC":"segmentC","title":"S2,E3","type":"content","section":"app_Mainpage",\
        "airdate":"20180120 10:00:00","isfullepisode":"y","crossId1":"Standard Episode ID",\
        "crossId2":"Content Originator","adloadtype":"2"}
        """
    private static let simplifiedAd = """
        {"assetid":"AD12345","title":"ADTestTitle","adldx":"1","type":"preroll","length":"20"}
        """
    private static let simplifiedPage = """
        {"type":"static","section":"homeSection","assetid":"AID885-9984","segA":"CustomSegmentValueA"}
        """
    private static let channel = "{\"channelName\":\"My Channel Name 1\"}"

    // MARK: Sequences

    /// All sequences that the guides print.
    static let all: [GuideSequence] = [
        GuideSequence("norway", "001, Use Case 1", .no, .ios) {
            var script = start(nil)
            playWithoutAds(&script, channel: "", content: norway)
            return script
        },
        GuideSequence("norway-ads", "001, Use Case 2", .no, .ios) {
            var script = start(nil)
            playWithAds(&script, channel: "", content: norway)
            return script
        },
        GuideSequence("norway-page", "001, Sample API Sequence", .no, .ios) {
            var script = start(nil)
            show(norwayPage, in: &script)
            playWithoutAds(&script, channel: "", content: norway)
            return script
        },
        GuideSequence("norway-live", "001, SDK Events", .no, .ios) {
            var script = start(nil)
            let live = norway.replacing("\"3600\"", with: "\"0\"")
            playWithoutAds(&script, channel: "", content: live, from: 1_774_000_000, isLive: true)
            return script
        },
        GuideSequence("norway-kids", "001, Global iOS SDK No ID Opt-out", .no, .ios) {
            var script = start(nil, choosing: true)
            playWithAds(&script, channel: channel, content: norway)
            return script
        },
        GuideSequence("us", "002, 3.4 and 5.2", .us, .ios) {
            var script = start("us")
            script.load(program)
            script.call("play", "{\"channelName\":\"ESPN2\",\"dataSrc\":\"id3\",\"adModel\":\"1\"}")
            script.playheads(0..<120, every: 2, tags: 0)
            script.call("stop")
            return script
        },
        GuideSequence("us-tags", "002, 2.3: the content supports no metadata", .us, .ios) {
            var script = start("us")
            script.call("play", "{\"channelName\":\"ESPN2\",\"dataSrc\":\"id3\",\"adModel\":\"1\"}")
            for number in 0..<6 {
                script.call("sendID3", "\"\(PlayerScript.tag(number))\"")
                script.at += 10
            }
            script.call("stop")
            return script
        },
        GuideSequence("us-appid", "002, 5.4 initWithAppInfo and play", .us, .ios) {
            var script = start("us").replacing("T\(guid)", with: "F1CFBFE7-C1BB-4B86-87BD-46DB0D0A3604")
            for number in 0..<2 {
                script.call("play", "{\"channelName\":\"Channel \(number)\"}")
                script.load(program.replacing("MyContent", with: "Content\(number)"))
                script.playheads(0..<60, every: 2)
                script.call("stop")
            }
            return script
        },
        GuideSequence("simplified", "003, Putting it all together", .dcr, .ios) {
            var script = start("dcr")
            let page = "{\"content\":{},\"ad\":{},\"static\":\(simplifiedPage)}"
            script.track("static", page, 0..<1, last: "playhead")
            script.at += 20
            script.track("static", page, 0..<0, last: "complete")
            script.track(
                "ad", "{\"content\":\(simplified),\"ad\":\(simplifiedAd),\"static\":{}}", 0..<30,
                last: "adStop")
            let content = "{\"content\":\(simplified),\"ad\":{},\"static\":{}}"
            script.track("content", content, 0..<60, last: "pause")
            script.at += 60
            script.track("content", content, 60..<120, last: "complete")
            return script
        },
        GuideSequence("ireland", "004, Use Case 1", .ire, .ios) {
            var script = start("ire", choosing: true)
            playWithoutAds(&script, channel: channel, content: ireland, reloads: false)
            return script
        },
        GuideSequence("ireland-ads", "004, Use Case 2", .ire, .ios) {
            var script = start("ire", choosing: true)
            playWithAds(&script, channel: channel, content: ireland, interruptsMidroll: true)
            return script
        },
        GuideSequence("ireland-live", "004, playheadPosition", .ire, .ios) {
            var script = start("ire", choosing: true)
            let live = ireland.replacing("\"3600\"", with: "\"86400\"")
            playWithoutAds(
                &script, channel: channel, content: live, reloads: false, from: 1_774_000_000, isLive: true)
            return script
        },
        GuideSequence("ireland-hour", "004, Use Case 1, for an hour", .ire, .ios) {
            var script = start("ire", choosing: true)
            playWithoutAds(&script, channel: channel, content: ireland, reloads: false, seconds: 3_600)
            return script
        },
        GuideSequence("ireland-android", "000, DCR Ireland Video Android, Use Case 1", .ire, .android) {
            var script = start("ire", choosing: true)
            script.calls.insert(
                PlayerScript.Call(at: 0, name: "registerLifeCycleObserver", arguments: []), at: 0)
            playWithoutAds(&script, channel: "", content: ireland, reloads: false)
            return script
        },
        GuideSequence("ireland-android-ads", "000, DCR Ireland Video Android, Use Case 2", .ire, .android) {
            var script = start("ire", choosing: true)
            playWithAds(&script, channel: channel, content: ireland, interruptsMidroll: true)
            return script
        },
        GuideSequence("poland", "000, DCR Poland Video iOS, Use Case 1", .pl, .ios) {
            var script = start("pl")
            playWithoutAds(&script, channel: channel, content: poland)
            return script
        },
        GuideSequence("poland-ads", "000, DCR Poland Video iOS, Use Case 2", .pl, .ios) {
            var script = start("pl")
            playWithAds(
                &script, channel: channel, content: poland, stopsBeforeAds: true, interruptsMidroll: true)
            return script
        },
        GuideSequence("poland-bare", "000, DCR Poland Video iOS, Sample API Sequence", .pl, .ios) {
            var script = start("pl")
            playWithoutAds(&script, channel: "", content: poland)
            return script
        },
        GuideSequence("italy", "000, DCR Italy Video iOS, Use Case 1", .it, .ios) {
            var script = start("it")
            playWithoutAds(&script, channel: "", content: italy)
            return script
        },
        GuideSequence("italy-ads", "000, DCR Italy Video iOS, Use Case 2", .it, .ios) {
            var script = start("it")
            playWithAds(&script, channel: "", content: italy)
            return script
        },
        GuideSequence("italy-audio-ads", "000, DCR Italy AUDIO Android, Use Case 2", .it, .android) {
            var script = start("it")
            playWithAds(&script, channel: "", content: italyAudio)
            return script
        },
        GuideSequence("italy-page", "000, DCR Italy Static iOS, Populate and pass metadata object", .it, .ios)
        {
            var script = start("it")
            for section in ["Home_EntityName_iOS", "News_EntityName_iOS"] {
                show("{\"type\":\"static\",\"assetid\":\"Page\",\"section\":\"\(section)\"}", in: &script)
            }
            return script
        },
        GuideSequence("italy-browser", "000, DCR Italy AUDIO Browser, Example without ads", .it, .browser) {
            var script = PlayerScript(ofBrowser: true)
            script.call("nlsQ", "\"T\(guid)\"", "\"player\"", "{}")
            script.load(italyAudio)
            script.playheads(0..<120)
            script.call("end", "119")
            return script
        },
        GuideSequence("italy-browser-ads", "000, DCR Italy AUDIO Browser, Example with ads", .it, .browser) {
            var script = PlayerScript(ofBrowser: true)
            script.call("nlsQ", "\"T\(guid)\"", "\"player\"", "{}")
            playWithAds(&script, channel: nil, content: italyAudio, passesPositions: true)
            return script
        },
        GuideSequence(
            "italy-browser-close", "000, DCR Italy AUDIO Browser, Other Interrupt Scenarios", .it, .browser
        ) {
            var script = PlayerScript(ofBrowser: true)
            script.call("nlsQ", "\"T\(guid)\"", "\"player\"", "{}")
            script.load(italyAudio)
            script.playheads(0..<60)
            script.load("{\"type\":\"midroll\",\"assetid\":\"AD-2\"}")
            script.playheads(0..<8)
            script.call("stop", "8")
            script.call("end", "59")
            return script
        },
    ]
}
