@testable import PlayerSession

/// A statement of the guides that their own samples, or another statement, contradict.
struct GuideContradiction: Sendable, Hashable {
    /// The two statements.
    let statement: String
    /// The places that make them.
    let sources: [GuideSource]
    /// The values that a session accepts.
    let accepted: String

    private init(_ statement: String, _ accepted: String, _ sources: GuideSource...) {
        self.statement = statement
        self.sources = sources
        self.accepted = accepted
    }

    /// All known contradictions, in the order of docs/markets.md.
    static let all = [
        GuideContradiction(
            "`isfullepisode` is `y` or `n`; a sample has `Yes`", "y, n, yes and no in both markets",
            GuideSource(.norwayAudio, "Create content metadata"), GuideSource(.poland, "Content metadata")),
        GuideContradiction(
            "Ids of advertisements have no special characters; a sample has `ad=123`",
            "`=` in ids of advertisements", GuideSource(.poland, "Use case 2")),
        GuideContradiction(
            "`section` has no special characters; a sample has `Section Name`", "any text",
            GuideSource(.norwayAudio, "Configure static metadata")),
        GuideContradiction(
            "The list of air dates has no `YYYYMMDD HH:MI:SS`; both samples use it", "the form as well",
            GuideSource(.norwayAudio, "Create content metadata")),
        GuideContradiction(
            "`scheduledEndDate` is required; no sample has it", "optional",
            GuideSource(.norwayAudio, "Create content metadata")),
        GuideContradiction(
            "The marks of required keys are not in the text of the guide",
            "required are the keys that both samples have",
            GuideSource(.norwayAudio, "Create content metadata")),
        GuideContradiction(
            "All keys of `initWithAppInfo` are mandatory; the JSON schema makes `dma` and `ccode` optional",
            "the schema", GuideSource(.appSDK, "5.4 initWithAppInfo"), GuideSource(.appSDK, "Appendix A")),
        GuideContradiction(
            "`loadMetadata` needs `assetid`; the samples of OCR and IAG have none",
            "required of content alone", GuideSource(.appSDK, "5.4 loadMetadata"),
            GuideSource(.appSDK, "Appendix A")),
        GuideContradiction(
            "Keys are case-sensitive; samples have `appName`, `appVersion`, `appId` and `channelname`",
            "every printed spelling", GuideSource(.appSDK, "Appendix A, DRM"),
            GuideSource(.simplified, "DTVR"), GuideSource(.italyAudioAndroid, "Handling JSON metadata")),
        GuideContradiction(
            "A sample has the type ` preroll` with a blank, and the key `catagory`",
            "the type without its blanks; the key is kept", GuideSource(.appSDK, "Appendix A, IAG")),
        GuideContradiction(
            "A sample has the latitude -223.323", "any text", GuideSource(.appSDK, "Appendix A, DRM")),
        GuideContradiction(
            "Live playheads are seconds; an example is `1501225191747`",
            "milliseconds in events; in other calls with the finding `playhead.milliseconds`",
            GuideSource(.simplified, "DTVR")),
        GuideContradiction(
            "`crossId1` and `adldx` are required; the Objective-C sample has neither", "both optional",
            GuideSource(.simplified, "Content metadata"), GuideSource(.simplified, "Putting it all together")),
        GuideContradiction(
            "`assetid` of static pages is required; two samples have none", "optional",
            GuideSource(.simplified, "Static metadata"), GuideSource(.simplified, "Putting it all together")),
        GuideContradiction(
            "The key is `adldx` in tables and `adIdx` in text", "both",
            GuideSource(.simplified, "Managing ads")),
        GuideContradiction(
            "Values of `ottData` are strings; the example has numbers", "both",
            GuideSource(.simplified, "DCR & DTVR")),
        GuideContradiction(
            "`channelName` is required; the sequences call `play` without it",
            "`play` without information; information without the key is `key.missing`",
            GuideSource(.irelandAndroid, "Use case 1"), GuideSource(.italyVideo, "Use case 1")),
        GuideContradiction(
            "`stop` comes at any interruption of content; the sequences load a midroll without it",
            "both; `dtvr certify` asks for `stop` in Poland alone, where the sequence prints it",
            GuideSource(.norwayAudio, "SDK events"),
            GuideSource(.irelandIOS, "Use case 2"), GuideSource(.italyVideo, "Use case 2")),
        GuideContradiction(
            "`nol_devDebug` is for tests alone; the samples pass it with an appid for production",
            "both; `dtvr certify` warns", GuideSource(.norwayAudio, "Going Live"),
            GuideSource(.simplified, "SDK initialization")),
        GuideContradiction(
            "A midroll that is loaded again after `stop` continues; so does an advertisement that starts again",
            "the same play if the playhead continues, another one from 0",
            GuideSource(.irelandIOS, "Use case 2"), GuideSource(.simplified, "Managing ads")),
        GuideContradiction(
            "`sfcode` is required; the Android sample has none",
            "optional; without it no rules of a market apply",
            GuideSource(.italyAudioAndroid, "SDK initialization")),
        GuideContradiction(
            "`segA` and `segB` are required; the text below says that they are not", "optional",
            GuideSource(.italyAMP, "Metadata keys")),
        GuideContradiction(
            "The background is an interruption of audio and video; audio players are excepted",
            "playback of `isAudio` in the background; of other assets a tag there is `tag.in-background`",
            GuideSource(.norwayAudio, "Interruptions during playback"),
            GuideSource(.italyAudioIOS, "Interruptions during playback")),
    ]
}

/// A part of the guides that a session neither enforces nor keeps, with the reason.
struct GuideExclusion: Sendable, Hashable {
    /// The part.
    let subject: String
    /// The places that describe it.
    let place: String
    /// The reason.
    let reason: String

    private init(_ subject: String, _ place: String, _ reason: String) {
        self.subject = subject
        self.place = place
        self.reason = reason
    }

    /// All exclusions, in the order of docs/markets.md.
    static let all = [
        GuideExclusion(
            "Pings to Nielsen's servers", "all guides",
            "nothing leaves the device but records for the configured collector"),
        GuideExclusion(
            "Advertising ids and the setting of the operating system", "001, 003, 000: Privacy and opt-out",
            "the library reads no ids of the platform; apps call `userOptOut`"),
        GuideExclusion(
            "Opt-out cookies", "000, DCR Italy Audio Browser and DCR Italy Static AMP",
            "the page of a browser decides whether it makes calls"),
        GuideExclusion(
            "Code that observes the player, the lifecycle and AirPlay routes", "all guides",
            "the app makes the calls; `registerLifeCycleObserver` has no effect"),
        GuideExclusion(
            "The web view bridge (`NielsenAppSDKJSHandler`)", "001, WebView", "a page uses `ggPM` directly"),
        GuideExclusion(
            "Known codes of `dma` and `ccode`", "002, Appendix A", "the guide has no list of them"),
        GuideExclusion(
            "The list of special characters", "001, 003, 004 and 000",
            "the guides link to a page that they do not print; letters, digits, `.`, `_` and `-` are allowed"),
        GuideExclusion(
            "Frameworks, build settings and certification by Nielsen", "all guides", "not data"),
        GuideExclusion(
            "The 2,000 characters of a ping", "004, Create ad metadata",
            "a session makes no pings; `dtvr certify` checks recorded ones"),
    ]
}
