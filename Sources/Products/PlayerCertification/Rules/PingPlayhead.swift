import PlayerSession
import NielsenID3
import StreamHealth

/// `ping.playhead`: the playhead and the seconds of a ping are possible.
struct PingPlayhead: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("ping.playhead"), worst: .fail,
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
