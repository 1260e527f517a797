import NielsenID3
import PlayerSession
import StreamHealth

/// `start.app-id`: the appid is a T-appid for tests, or a P-appid for production.
struct StartAppID: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("start.app-id"), on: [.playback], worst: .warn,
        notRun: "The log has no init with an appid: record it from the start of the app.",
        expectation: "The appid is a T-appid for tests, or a P-appid for production",
        title: "The appid is neither one for tests nor one for production",
        meaning: """
            Nielsen assigns two ids to an app: one that begins with T for tests and certification, and one that \
            begins with P for the release.
            """,
        appearance: """
            An appid that is not T or P, followed by a GUID of hexadecimal digits. Guide 002 prints the GUID of its \
            app without a letter, which is right for the United States. In a browser the key is `apid`.
            """,
        cause: """
            A placeholder that was left in the code, or another id.
            """,
        action: """
            Use the T-appid until the app is certified, and the P-appid in the release.
            """,
        source: "guide 002, 2.3, 3.2 and 5.4; guide 000, DCR Italy Audio Browser, Create SDK Instance")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .initialize(let app) = event, let id = app.appID else { return }
        findings.run()
        if Self.isAssigned(id) || player.market == .us && Self.isGUID(id[...]) { return }
        findings.find("the appid is not T or P and a GUID of 36 characters")
    }

    private static func isAssigned(_ id: String) -> Bool {
        (id.first == "T" || id.first == "P") && isGUID(id.dropFirst())
    }

    private static func isGUID(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
    }
}

extension FindingRule {
    /// `start.app-keys`: the information of the app has the keys that the market requires.
    static let startAppKeys = FindingRule(
        declaration: CheckDeclaration(
            CheckID("start.app-keys"), on: [.call], isOfMarket: true, worst: .fail,
            notRun: "The log has no init: record it from the start of the app.",
            expectation: "The information of the app has the keys that the market requires",
            title: "The information of the app is incomplete",
            meaning: """
                The name and the version of the app tell a broadcaster which release a problem comes from, and the \
                collection facility decides where data goes.
                """,
            appearance: """
                The finding `key.missing` of the call `init`, or of the first call after it.
                """,
            cause: """
                A key of another market, or an empty value.
                """,
            action: """
                Add the key to the information of the app; the guide of the market lists them.
                """,
            source: "guide 001, SDK Initialization; guide 002, 3.2; guide 003, SDK Initialization"),
        sentences: [
            "key.missing": "a key is missing that the market requires in the information of the app",
            "value.type": "a value in the information of the app has the wrong type",
        ],
        judges: { finding, _ in finding.isOfApp },
        applies: { call in
            call.name == .initialize || call.result.details.contains(where: \.isOfApp)
        })
}

/// `start.debug`: the debug flag is off with a P-appid.
struct StartDebug: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("start.debug"), on: [.playback], worst: .warn,
        notRun: "The log has no init with a P-appid: certify a log of the release as well.",
        expectation: "The debug flag is off with a P-appid",
        title: "The debug flag is on in production",
        meaning: """
            The flag makes the SDK write the data of a user to the log of the device. The guides allow it in tests \
            only, and print it beside an appid for production.
            """,
        appearance: """
            `nol_devDebug` or `nol_sdkDebug` in an `init` whose appid begins with P.
            """,
        cause: """
            The flag of the development build was left in the release.
            """,
        action: """
            Remove the flag from the information of the app in release builds.
            """,
        source: "guide 001, Going Live; guide 004, Going Live")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .initialize(let app) = event, app.appID?.hasPrefix("P") == true else { return }
        findings.run()
        for key in ["nol_devDebug", "nol_sdkDebug"] where app.text(key.lowercased()) != nil {
            findings.find("\(key) is set, and the appid is one for production")
        }
    }
}

/// `start.init`: the app initializes the session before any other call, and that succeeds.
struct StartInit: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("start.init"), on: [.call], worst: .fail,
        notRun: "The log has no call.",
        expectation: "The app initializes the session before any other call, and that succeeds",
        title: "The session is not initialized",
        meaning: """
            Without a successful `init` the real App SDK measures nothing. This library stores tags anyway, so that \
            the loss is not noticed in a test.
            """,
        appearance: """
            No `init` before the first call, or one whose outcome is `error` with the code 1007. Calls that only ask \
            for something, and `registerLifeCycleObserver`, may come before.
            """,
        cause: """
            The app calls the session before its own configuration has arrived, or passes an empty appid.
            """,
        action: """
            Call `init` once at the start of the app, with the appid that Nielsen has assigned.
            """,
        source: "guide 001, SDK Initialization; guide 002, 3.2")

    private var isInitialized = false
    private var isReported = false

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard call.result.outcome != .unreadable else { return }
        findings.run()
        if call.name == .initialize {
            if call.result.outcome == .error {
                findings.find("init failed: the app's information has no appid")
            }
            isInitialized = true
        } else if call.name == .registerLifeCycleObserver || call.name?.isQuestion == true {
            return
        } else if !isInitialized, !isReported {
            isReported = true
            findings.find("the first call is not init")
        }
    }
}

/// `start.opt-out`: an app in Ireland passes the choice of the user directly after init.
struct StartOptOut: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("start.opt-out"), on: [.playback], isOfMarket: true, worst: .fail,
        notRun: "The log has no playback in Ireland: start the app, and play content.",
        expectation: "An app in Ireland passes the choice of the user directly after init",
        title: "Playback starts before `userOptOut`",
        meaning: """
            The build for Ireland keeps no choice itself: the app passes it at each start. Earlier calls are measured \
            without it.
            """,
        appearance: """
            A call about playback comes before the first `userOptOut` after `init`, or the log has none.
            """,
        cause: """
            The app passes the choice when its page of settings opens, or not at all.
            """,
        action: """
            Call `userOptOut` directly after `init`.
            """,
        source: "guide 004, Privacy and Opt-Out; guide 001, Global iOS SDK No ID Opt-out")

    /// Whether the user has chosen since `init`, or the lack of a choice is known.
    private var isJudged = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .initialize(let app): isJudged = (app.text("uoo") ?? app.text("optout")) != nil
        case .choose: isJudged = true
        case .play, .load, .loadWithheld, .playhead, .tag:
            guard player.market == .ire else { return }
            findings.run()
            if !isJudged, !player.isOptedOut { findings.find("playback starts before userOptOut") }
            isJudged = true
        default: break
        }
    }
}

/// `log.readable`: every line of the log can be read.
struct LogReadable: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("log.readable"), on: [.call, .ping, .page], worst: .warn,
        notRun: "The log has no line.",
        expectation: "Every line of the log can be read",
        title: "A line of the log cannot be read",
        meaning: """
            The line is not a JSON object with a call or a record, nor an address. Or it has more than 4 MiB, or \
            belongs to the session after the thousandth. In a HAR file, an entry counts as a line. It is left out \
            of the judgement.
            """,
        appearance: """
            A finding with the number of the line, and the reason.
            """,
        cause: """
            A log that was cut off, or lines of another program in the same file.
            """,
        action: """
            Write the log to a separate file, with the option `log` or `nol_devDebug`.
            """,
        source: "this library, docs/players.md")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        if let problem = call.line.problem(call.result.outcome) {
            findings.find("the line cannot be read, and is left out: \(problem)")
        }
    }

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
    }

    mutating func observe(page: Metadata, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
    }
}

extension Metadata {
    /// The id in the information of an app; browsers name it `apid`.
    fileprivate var appID: String? { text("appid") ?? text("apid") }
}
