import NielsenID3
import StreamHealth
import TextForms

/// The form in which the webhook sends alerts, which depends on the receiver.
///
/// A queued message has the form of its change. What must not be stored or is only known later is added when it is
/// sent.
package enum AlertFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// The object that `--format jsonl` prints.
    case dtvr
    /// The list of alerts that `POST /api/v2/alerts` of Alertmanager takes.
    case alertmanager
    /// An event of PagerDuty's Events API v2.
    case pagerduty
    /// A message of a Slack incoming webhook.
    case slack
    /// An Adaptive Card for a Microsoft Teams workflow.
    case teams

    /// Whether the receiver forgets an open alert that is not sent again.
    var repeatsOpenAlerts: Bool { self == .alertmanager }

    /// Whether the key of the webhook is a member of the body, and not the key of a signature.
    package var hasKeyInBody: Bool { self == .pagerduty }

    /// Returns the body for a change that happened at `time`, in Unix milliseconds.
    func body(of change: AlertChange, at time: Int64, evidence: String?, facts: AlertFacts) -> String {
        let notice = AlertNotice(change: change, time: time, evidence: evidence, facts: facts)
        var writer = JSONWriter()
        switch self {
        case .dtvr: notice.write(to: &writer)
        case .alertmanager: [notice].writeAlertmanager(to: &writer)
        case .pagerduty: notice.writePagerDuty(to: &writer)
        case .slack: notice.writeSlack(to: &writer)
        case .teams: notice.writeTeams(to: &writer)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns the body to send: for PagerDuty with the routing key, which is not stored.
    func payload(_ body: String, key: [UInt8]?) -> [UInt8] {
        guard hasKeyInBody, let key else { return Array(body.utf8) }
        var writer = JSONWriter(capacity: body.utf8.count + 64)
        writer.beginObject()
        writer.write("routing_key", String(decoding: key, as: UTF8.self))
        writer.members(ofObject: Array(body.utf8).span)
        writer.endObject()
        return writer.bytes
    }
}

/// The names and addresses that receivers show with an alert.
package struct AlertFacts: Sendable, Hashable {
    /// The address of the documentation of the check; nil if there is none.
    package var documentation: String?
    /// The address of the page of the channel, or of all channels; nil if readers cannot reach the monitor.
    var page: String?
    /// Whether objects of the format `dtvr` have the names and the page too.
    var isInObjects = false
    /// The name of the monitor.
    var instance = ""
    /// The display name of the channel; nil for other alerts.
    var name: String?
    /// The address of the channel without its secrets; nil for other alerts.
    var address: String?
    /// The display names of the channels of a host's alert, in order.
    var channelNames: [String] = []

    /// Creates the facts of an alert without names and pages.
    package init(documentation: String? = nil) { self.documentation = documentation }
}

/// The addresses that alerts link to, and the name of the monitor.
package struct AlertLinks: Sendable {
    /// The documentation of the checks; nil if there is none.
    package var documentation: CheckDocumentation?
    /// The address of the monitor's pages, with a slash at its end; nil if readers cannot reach them.
    package var pages: String?
    /// Whether the operator named that address.
    package var isPublic = false
    /// The name of the monitor among others.
    package var instance = ""

    /// Creates no links.
    package init(documentation: CheckDocumentation? = nil) { self.documentation = documentation }

    /// Returns the facts of an alert.
    ///
    /// - Parameter channel: Returns the display name and the printable address of a channel; nil if it was removed.
    func facts(
        of alert: Alert, channel: (String) -> (name: String, address: String)?
    ) -> AlertFacts {
        var facts = AlertFacts(documentation: documentation?.address(of: alert.check))
        facts.isInObjects = isPublic
        facts.instance = instance
        facts.page = pages.map { pages in
            alert.channel.map { "\(pages)channels/\(PercentEncoding.encoded($0))" } ?? pages
        }
        if let id = alert.channel {
            let known = channel(id)
            facts.name = PrintableText.of(known?.name ?? id)
            facts.address = known.flatMap { $0.address.isEmpty ? nil : $0.address }
        } else {
            facts.channelNames = alert.channels.map { PrintableText.of(channel($0)?.name ?? $0) }
        }
        return facts
    }
}

/// A change of an alert with everything that a receiver shows, and its texts.
struct AlertNotice: Sendable {
    let change: AlertChange
    /// The time of the change, in Unix milliseconds.
    let time: Int64
    let evidence: String?
    let facts: AlertFacts

    /// The maximum lengths of the headline and of each other text, in characters.
    private static let maximumHeadlineLength = 500
    private static let maximumTextLength = 1_000
    /// The maximum number of channels of a host that texts name.
    private static let maximumNameCount = 20

    var alert: Alert { change.alert }
    var isCleared: Bool { if case .cleared = change { true } else { false } }

    /// The affected channel by its name, the host with the number of its channels, or the monitor by its name.
    var subject: String {
        switch alert.scope {
        case .channel(let id): Self.text(facts.name ?? id)
        case .host(let host, let channels): Self.text("\(channels.count) channels of \(host)")
        case .monitor: Self.text(facts.instance.isEmpty ? "dtvr monitor" : "dtvr monitor \(facts.instance)")
        }
    }

    /// The subject, the problem and whether it is over, in one line.
    var headline: String {
        let start = isCleared ? "Cleared: " : ""
        return Self.text(
            "\(start)\(subject): \(alert.detail)\(change.ending)", to: Self.maximumHeadlineLength)
    }

    /// The observed and the expected behavior, with its consequences.
    var detail: String { Self.text(alert.detail + change.ending) }

    /// The advice for an operator; nil for a check of a later version.
    var advice: String? { alert.check.declaration.map { Self.text($0.action) } }

    /// The severity as Prometheus rules and PagerDuty name it.
    var urgency: String { alert.severity == .fail ? "critical" : "warning" }

    /// The facts for a reader, each with its name, without links.
    var rows: [(name: String, text: String)] {
        let rows: [(String, String?)] = [
            ("Check", alert.check.rawValue), ("Severity", alert.severity.rawValue),
            ("Channel", alert.channel.map { $0 == facts.name ? $0 : "\(facts.name ?? $0) (\($0))" }),
            ("Address", facts.address), ("Channels", channelText), ("Since", sinceText),
            ("Monitor", facts.instance.isEmpty ? nil : facts.instance), ("Evidence", evidence),
        ]
        return rows.compactMap { name, text in text.map { (name, Self.text($0)) } }
    }

    /// The links, each with its title.
    var links: [(title: String, address: String)] {
        [("Open the page", facts.page), ("About \(alert.check.rawValue)", facts.documentation)].compactMap {
            title, address in address.map { (title, $0) }
        }
    }

    /// The names of the channels of a host's alert; nil for other alerts.
    var channelText: String? {
        guard !facts.channelNames.isEmpty else { return nil }
        let rest = facts.channelNames.count - Self.maximumNameCount
        return facts.channelNames.prefix(Self.maximumNameCount).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }

    private var sinceText: String {
        "\(RFC3339.tableText(unixSeconds: max(0, alert.since) / 1_000)) UTC"
    }

    /// Returns a text of others without control characters, shortened.
    private static func text(_ text: String, to length: Int = maximumTextLength) -> String {
        let text = PrintableText.of(text)
        guard text.unicodeScalars.count > length else { return text }
        return String(text.unicodeScalars.prefix(length - 1)) + "…"
    }

    /// Writes the object of the format `dtvr`.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        change.writeMembers(at: time, evidence: evidence, facts: facts, to: &writer)
        writer.endObject()
    }
}

extension AlertFacts {
    /// Writes the members that follow those of the alert in objects, if the operator named the pages.
    func writeMembers(of alert: Alert, to writer: inout JSONWriter) {
        writer.write("docs", documentation)
        guard isInObjects else { return }
        writer.write("name", name)
        writer.write("address", address)
        writer.write("page", page)
        writer.write("what_to_do", alert.check.declaration?.action)
    }
}
