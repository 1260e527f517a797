import NielsenID3
import PlayerSession
import StreamHealth

/// `ping.fpid`: the first-party ID of a ping is blank if it is disabled.
struct PingFirstPartyID: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("ping.fpid"), on: [.ping], worst: .fail,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "The first-party ID of a ping is blank if it is disabled",
        title: "The first-party ID of a ping is wrong",
        meaning: """
            With `enableFpid` of false, the SDK deletes the first-party ID and leaves its value blank. Any other \
            value identifies a user who has not agreed to it.
            """,
        appearance: """
            The key `fp_id` is missing, has a word such as `null` for no value, has a value although `init` disables \
            it, or is blank beside times of an ID.
            """,
        cause: """
            The app passes `enableFpid` only after a restart, or an older SDK does not know it.
            """,
        action: """
            Pass `enableFpid` to `init`, and record the pings of a new installation.
            """,
        source:
            "guide 000, DCR Poland Video iOS, First Party ID (FPID); guide 004, Example of SDK ping (fp_id)")

    private static let times = ["fp_cr_tm", "fp_acc_tm", "fp_emm_tm"]

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        let value = ping["fp_id"]
        let subject = Finding.Subject(
            key: "fp_id", value: value.map { String($0.prefix(100)) }, expected: nil, source: nil)
        guard let value else { return findings.find("the key of the first-party ID is missing", subject) }
        let isDisabled = player.app?.text("enablefpid")?.lowercased() == "false"
        switch value.lowercased() {
        case "":
            for key in Self.times where ping.text(key) != nil {
                findings.find("\(key) has a value, and the first-party ID is blank")
            }
        case "null", "nil", "undefined", "na", "0", "false":
            findings.find("the first-party ID is a word for no value, and not blank", subject)
        default:
            if isDisabled { findings.find("the first-party ID is disabled, and not blank", subject) }
        }
    }
}

/// `ping.length`: a ping has at most 2,000 characters.
struct PingLength: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("ping.length"), on: [.ping], worst: .fail,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "A ping has at most 2,000 characters",
        title: "A ping has more than 2,000 characters",
        meaning: """
            Browsers, proxies and servers cut off or refuse longer addresses.
            """,
        appearance: """
            The address of a ping has more than 2,000 characters. A form in the body counts as a part of it.
            """,
        cause: """
            A long title, or keys of the app with long values.
            """,
        action: """
            Shorten the metadata, in particular program, title and the custom segments.
            """,
        source: "guide 004, Create ad metadata, URL Character Limit")

    private static let maximumCharacterCount = 2_000

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        if ping.characterCount > Self.maximumCharacterCount {
            findings.find("the ping has \(ping.characterCount) characters")
        }
    }
}

/// `ping.metadata`: the metadata of a ping conforms to the market's table.
struct PingMetadata: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("ping.metadata"), on: [.ping], isOfMarket: true, worst: .fail,
        notRun:
            "The input has no ping with the type of its asset: play content, and add the HAR file of a proxy.",
        expectation: "The metadata of a ping conforms to the market's table",
        title: "The metadata of a ping violates the market's table",
        meaning: """
            The ping is what a collection facility gets. A key that is blank in it, or has another form, is credited \
            to nothing.
            """,
        appearance: """
            A required key is missing or blank, or a value is too long, has invalid characters or is not an allowed \
            one. The type, the air date (blank in the example of the guide) and keys that pings do not have are not \
            compared.
            """,
        cause: """
            The app does not pass the key, or passes it in another form.
            """,
        action: """
            Correct the metadata of `loadMetadata`; the guide of the market has a table for each type of asset.
            """,
        source: """
            guides 001 and 003 to 004, the tables of metadata; guide 000, the page of the market; guide 004, Example \
            of SDK ping
            """)

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let market = player.market, ping.isContent || ping.isAd,
            let profile = MarketProfile.profile(of: market, platform: ping.platform)
        else { return }
        // A ping has no position of an advertisement.
        let ads = profile.assetTypes.filter(\.isAd)
        guard let type = ping.isAd ? ads.first : .content else { return }
        findings.run()
        for violation in MetadataValidator(profile).violations(ofAsset: ping.metadata(type: type)) {
            guard let key = Ping.metadataKeys.first(where: { $0.name == violation.key })?.key else {
                continue
            }
            if violation.kind == .missing {
                if violation.key == "airdate" { continue }
                findings.find("a required key is missing or blank, as \(key)", of: violation)
            } else {
                findings.find("a value is not one that the market allows, as \(key)", of: violation)
            }
        }
    }
}

/// `ping.opt-out`: a ping says whether the user has opted out.
struct PingOptOut: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("ping.opt-out"), on: [.ping], worst: .fail,
        notRun: """
            The input has no ping beside calls of the app, which say what the user has chosen: add the HAR file of a \
            proxy to the log.
            """,
        expectation: "A ping says whether the user has opted out",
        title: "The opt-out mark of a ping is missing or wrong",
        meaning: """
            Measurement may continue after an opt-out only if each ping is marked. An unmarked ping uses data \
            against the choice of the user.
            """,
        appearance: """
            The key `uoo` is missing, its value is not blank, 0, 1, false or true, or it is not 1 or true although \
            the log says that the user has opted out.
            """,
        cause: """
            The app does not pass the choice of the user on, or a proxy has removed the key.
            """,
        action: """
            Pass the choice to `userOptOut`, and record the pings again.
            """,
        source: """
            guide 004, Example of SDK ping (uoo); guide 001, SDK Events, API version 5.1 and above (marked as \
            opted-out ping)
            """)

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        // Without calls the choice of the user is unknown.
        if player.app != nil { findings.run() }
        guard let isOptedOut = ping.isOptedOut else {
            let subject = Finding.Subject(
                key: "uoo", value: ping["uoo"].map { String($0.prefix(100)) },
                expected: "a blank value, 0, 1, false or true", source: nil)
            return findings.find("the opt-out mark is missing or invalid", subject)
        }
        if player.isOptedOut, !isOptedOut {
            findings.find("the user has opted out, and the ping is not marked")
        }
    }
}

/// `ping.playhead`: the playhead and the seconds of a ping are possible.
struct PingPlayhead: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("ping.playhead"), on: [.ping], worst: .fail,
        notRun:
            "The input has no ping with a playhead or seconds: play content, and add the HAR file of a proxy.",
        expectation: "The playhead and the seconds of a ping are possible",
        title: "The playhead or the seconds of a ping are impossible",
        meaning: """
            The seconds of a ping are what the user is credited with. Those of another player, or in milliseconds, \
            are credited wrongly.
            """,
        appearance: """
            The position in `evdata`, or the seconds in `c27` (cln), are not a whole number of 0 or more. Or an \
            advertisement begins above 5, a live position is not Unix time, or there are over 5 s more than have \
            passed since `c64` (starttm).
            """,
        cause: """
            The app passes the position of the whole stream, of the window of a live stream, or in milliseconds.
            """,
        action: """
            Pass whole seconds: from 0 for an advertisement, Unix time for a live stream.
            """,
        source: "guide 004, Example of SDK ping and playheadPosition; the limits: field practice")

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if let event = ping.event {
            findings.run()
            if let position = whole(event.position, "evdata", &findings) {
                // The event of the start.
                if ping.isAd, event.kind == "PL", position > 5 {
                    findings.find("the playhead of the advertisement begins at \(number(position))")
                }
                if ping.isLive, ping.isContent, position < 1_000_000_000 {
                    findings.find("\(number(position)) is not the Unix time of a live picture")
                }
            }
        }
        if let text = ping.text("c27") {
            findings.run()
            guard let seconds = whole(text, "c27", &findings), let start = ping.number("c64"),
                let created = ping.number("c61")
            else { return }
            let passed = max(0, created - start)
            if seconds > passed + 5 {
                findings.find("the ping has \(number(seconds)) s, and \(number(passed)) s have passed")
            }
        }
    }

    /// Returns a whole number of seconds, 0 or more; nil after recording any other.
    private func whole(_ text: String, _ key: String, _ findings: inout RuleFindings) -> Double? {
        if let number = MetadataValue.text(text).finiteNumber, number >= 0, number == number.rounded(.down) {
            return number
        }
        let subject = Finding.Subject(
            key: key, value: String(text.prefix(100)), expected: "whole seconds, 0 or more", source: nil)
        findings.find("a number of seconds is invalid", subject)
        return nil
    }
}

/// `ping.sequence`: the times of pings are in order, and each ping is sent once.
struct PingSequence: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("ping.sequence"), on: [.ping], worst: .warn,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "The times of pings are in order, and each ping is sent once",
        title: "Pings are out of order, or sent twice",
        meaning: """
            A collection facility orders the pings of a session by their times, and drops those that it cannot \
            order.
            """,
        appearance: """
            A ping is created before its session or after it is sent, before the previous ping of its session, or \
            has the same `rnd` as that one without being a retry.
            """,
        cause: """
            The clock of the device was set during playback, or a proxy repeats requests.
            """,
        action: """
            Record a session without changing the clock, and replay no requests in the proxy.
            """,
        source: "guide 004, Example of SDK ping; the order: field practice")

    /// The maximum number of sessions whose last ping is known.
    private static let maximumSessionCount = 1_000

    private struct Last: Sendable {
        let created: Double
        let random: String?
    }

    private var last: [String: Last] = [:]

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let created = ping.number("c61") else { return }
        findings.run()
        if let start = ping.number("c64"), created < start {
            findings.find("the ping is created \(number(start - created)) s before its session")
        }
        if let sent = ping.number("c62"), sent < created {
            findings.find("the ping is created \(number(created - sent)) s after it is sent")
        }
        let random = ping.text("rnd")
        if let previous = last[ping.session] {
            if created < previous.created {
                let distance = number(previous.created - created)
                findings.find("the ping is created \(distance) s before the previous one of its session")
            }
            if let random, random == previous.random, !ping.isRetry {
                findings.find("the previous ping of the session is sent again")
            }
        }
        if last.count >= Self.maximumSessionCount, last[ping.session] == nil { last = [:] }
        last[ping.session] = Last(created: created, random: random)
    }
}

/// `ping.session`: a ping has its app, its session and its times.
struct PingSession: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("ping.session"), on: [.ping], worst: .fail,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "A ping has its app, its session and its times",
        title: "A ping lacks a key of its session",
        meaning: """
            Without these keys a collection facility cannot assign the ping to a session, or order it.
            """,
        appearance: """
            One of the keys `ci`, `sessionId`, `c59` (sesid), `c64` (starttm), `c61` (createtm), `c62` (sendTime) \
            and `rnd` is missing or blank.
            """,
        cause: """
            The SDK was not initialized when it sent the ping, or a proxy or a filter has removed keys.
            """,
        action: """
            Wait for the SDK before the first call, and compare the ping with that of the guide.
            """,
        source: "guide 004, Example of SDK ping")

    private static let keys: [(String, String?)] = [
        ("ci", nil), ("sessionId", nil), ("c59", "sesid"), ("c64", "starttm"), ("c61", "createtm"),
        ("c62", "sendTime"), ("rnd", nil),
    ]

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        for (key, name) in Self.keys where ping.text(key) == nil {
            let subject = Finding.Subject(
                key: key, value: nil, expected: name.map { "`\($0),` and a value" } ?? "a value", source: nil)
            findings.find("a key of the session is missing or blank", subject)
        }
    }
}
