@testable import PlayerSession

/// The rules of every market, for docs/markets.md.
enum MarketReference {
    /// The page.
    static var markdown: String {
        ([introduction] + MarketProfile.all.map(section) + [screens, calls, contradictions, exclusions])
            .joined(separator: "\n")
    }

    private static let introduction = """
        # Markets

        A session, `dtvr replay` and `dtvr certify` compare the data of a player with these rules. They
        are data in `Sources/Products/PlayerSession/Markets`, and this page is written from them:

            DTVR_TESTS=PlayerSessionTests DTVR_UPDATE_DOCS=1 swift test --filter MarketReferenceTests

        `sfcode` selects the rules, or `--market` of `dtvr certify`. Each value is kept, valid or not: all
        keys are in the record `app` or `asset` ([keys.md](keys.md#records-of-players)), as
        `GuideSampleTests` checks. A required key that is missing or empty is `key.missing`, a value of
        another form `key.length`, `key.alphabet`, `key.airdate`, `key.value` or `value.type`
        ([players.md](players.md#findings)). A `channelName` of more than 32 characters is
        `channel.too-long` in every market (guide 002, 5.4 play; guide 003, Content metadata).
        `ProfileRowTests` checks each row.

        The guides are numbered: 001 DCR Norway Audio iOS, 002 App SDK 3.2, 003 Simplified API, 004 DCR
        Ireland Video iOS, and 000 the pages of several countries, each in its newest revision.

        """

    private static func section(_ profile: MarketProfile) -> String {
        let market = profile.market.map { "`--market \($0.rawValue)`" } ?? "no market"
        let platforms = profile.platforms.map(\.rawValue).joined(separator: ", ")
        let codes = profile.facilities.map { "`\($0)`" }.joined(separator: ", ")
        var text = "## \(profile.id)\n\n"
        text += "\(market); sfcode \(codes.isEmpty ? "none" : codes)"
        text += platforms.isEmpty ? "\n" : "; for \(platforms)\n"
        text += table("Information of the app", profile.appRules)
        text += table("Information of `play`", profile.channelRules)
        for table in profile.tables {
            let types = table.types.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            text += Self.table("\(table.name) (\(types)\(condition(table.condition)))", table.rules)
        }
        text += "\n| rule | value | source |\n| --- | --- | --- |\n"
        text += "| playheads | \(playheads(profile.playhead)) | \(profile.playhead.source) |\n"
        text += "| opt-out | \(choice(profile.optOut)) | \(profile.optOut.source) |\n"
        if let source = profile.stringValues { text += "| values | JSON strings | \(source) |\n" }
        for limit in profile.limits { text += "| values | \(limit.expectation) | \(limit.source) |\n" }
        return text
    }

    private static func table(_ title: String, _ rules: [MetadataRule]) -> String {
        guard !rules.isEmpty else { return "" }
        return "\n\(title):\n\n| key | required | value | source |\n| --- | --- | --- | --- |\n"
            + rules.map { rule in
                "| `\(rule.key)` | \(rule.isRequired ? "yes" : "") | \(rule.form.expectation) | \(rule.source) |\n"
            }
            .joined()
    }

    private static func condition(_ condition: AssetTable.Condition) -> String {
        switch condition {
        case .always: ""
        case .hasKeys(let keys): "; if it has \(keys.map { "`\($0)`" }.joined(separator: " and "))"
        case .hasValue(let key, let value): "; if `\(key)` is `\(value)`"
        }
    }

    private static func playheads(_ rule: PlayheadRule) -> String {
        rule.expectation + (rule.isWhole ? ", whole numbers" : "")
            + (rule.isUnixTimeLive ? ", Unix time if live" : "")
    }

    private static func choice(_ rule: OptOutRule) -> String {
        let ways = rule.flavors.map { flavor in
            switch flavor {
            case .page: "the page at `optOutURL`"
            case .system: "the setting of the operating system"
            case .atStart: "`userOptOut` directly after the start"
            case .cookie: "a cookie of the privacy page"
            }
        }
        let isMarked = rule.continuesMarked == true
        return ways.joined(separator: "; ") + (isMarked ? "; measurement continues, marked" : "")
    }

    private static var screens: String {
        "## The screen\n\n`updateOTT` and `ottData`, in every market.\n"
            + table("Screen", MetadataValidator.screenRules)
    }

    private static var calls: String {
        "## Calls\n\n| call | guides | treatment | test |\n| --- | --- | --- | --- |\n"
            + GuideCall.all.map { "| \($0.name) | \($0.places) | \($0.treatment) | \($0.test) |\n" }.joined()
    }

    private static var contradictions: String {
        "## Contradictions of the guides\n\n| statement | accepted | source |\n| --- | --- | --- |\n"
            + GuideContradiction.all.map { contradiction in
                let places = contradiction.sources.map(\.description).joined(separator: "; ")
                return "| \(contradiction.statement) | \(contradiction.accepted) | \(places) |\n"
            }
            .joined()
    }

    private static var exclusions: String {
        "## Out of scope\n\n| part | guides | reason |\n| --- | --- | --- |\n"
            + GuideExclusion.all.map { "| \($0.subject) | \($0.place) | \($0.reason) |\n" }.joined()
    }
}

/// A call, event or property in the tables of the guides, and its effect on a session.
struct GuideCall: Sendable, Hashable {
    /// The name in the guides.
    let name: String
    /// The guides and sections that describe it.
    let places: String
    /// The effect on a session.
    let treatment: String
    /// The test suite that checks this.
    let test: String

    private init(_ name: String, _ places: String, _ treatment: String, _ test: String) {
        self.name = name
        self.places = places
        self.treatment = treatment
        self.test = test
    }

    /// All calls, in the order of docs/markets.md.
    static let all = [
        GuideCall(
            "init, initWithAppInfo, nlsQ", "001, 003: SDK initialization; 002, 5.4; 004; 000",
            "enforced; record `app`", "GuideSampleTests"),
        GuideCall("play", "002, 5.4; 004; 000", "enforced; record `asset`", "GuideSampleTests"),
        GuideCall("loadMetadata", "all", "enforced; record `asset`", "GuideSampleTests"),
        GuideCall(
            "playheadPosition, setPlayheadPosition", "all", "enforced; record `session`", "GuideSampleTests"),
        GuideCall("stop", "all", "enforced; `pauses` in record `session`", "GuideSampleTests"),
        GuideCall("end", "001, 004, 000", "enforced; ends record `session`", "GuideSampleTests"),
        GuideCall("sendID3", "002, 5.4", "enforced; the tag is a record", "GuideSampleTests"),
        GuideCall("trackEvent", "003, Simplified API syntax", "enforced; as its calls", "GuideSampleTests"),
        GuideCall(
            "playhead, pause, complete, adStop", "003, Event types", "enforced", "EventTrackingTests"),
        GuideCall(
            "ggPM", "000, DCR Italy Audio Browser, Events", "enforced; as its calls", "GuideSampleTests"),
        GuideCall(
            "appInBackground, appInForeground", "004 and 000: Handling foreground and background states",
            "another viewing session", "GuideSampleTests"),
        GuideCall(
            "registerLifeCycleObserver", "000, DCR Ireland Video Android, LifeCycleObserver", "accepted",
            "GuideFindingTests"),
        GuideCall("appDisableApi", "001, 002, 004", "enforced", "PlaybackTests"),
        GuideCall(
            "userOptOut", "001 to 004, Privacy and opt-out", "enforced; `opted_out` in records",
            "OptedOutTests"),
        GuideCall(
            "optOutStatus, getOptOutStatus", "001, 003, 004", "answered", "MeasurementSessionTests"),
        GuideCall(
            "optOutURL, optOutURLString, userOptOutURLString", "001, 002", "answered from the configuration",
            "ConfigurationTests"),
        GuideCall(
            "updateOTT, ottData", "003, 004, 000", "enforced; `ott` in record `session`", "DeviceRecordTests"),
        GuideCall(
            "trackViewability", "003, Data collected", "enforced; series in record `session`",
            "DeviceRecordTests"),
        GuideCall("getLastEvent, getLastError", "002, 5.4", "answered", "MeasurementSessionTests"),
        GuideCall(
            "event and error codes", "002, 6", "docs/players.md, Errors and events", "DeliveryStateTests"),
    ]
}
