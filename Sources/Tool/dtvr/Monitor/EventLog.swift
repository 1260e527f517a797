import NielsenID3
import StreamHealth
import StreamMonitor
import TextForms

/// The events of a monitor as lines of text.
///
/// A finding that repeats is printed once, and then counted in a line for its channel every ten minutes. A summary is
/// printed every ten minutes and at the end.
struct EventLog {
    /// The time between two summaries, in milliseconds.
    private static let summaryInterval: Int64 = 600_000
    /// The maximum length of a line, in characters.
    static let maximumLineLength = 200

    /// A check of a channel.
    private struct Source: Hashable {
        let channel: String
        let check: CheckID
    }

    /// The number of findings of each source that are not printed; a source without an entry has its next one printed.
    private var repeats: [Source: Int] = [:]
    private var lastSummaryTime: Int64?
    /// The last summary, if it is not printed.
    private var pending: MonitorEvent?

    /// Returns the lines to print for an event.
    mutating func lines(of event: MonitorEvent) -> [String] {
        switch event.kind {
        case .tag: return []
        case .state, .alert: return [event.textLine].compactMap { $0 }
        case .finding(let check, _):
            let source = Source(channel: event.channel ?? "", check: check)
            if let count = repeats[source] {
                repeats[source] = count + 1
                return []
            }
            repeats[source] = 0
            return [event.textLine].compactMap { $0 }
        case .summary:
            let last = lastSummaryTime ?? event.time
            lastSummaryTime = last
            pending = event
            return event.time - last >= Self.summaryInterval ? finish() : []
        }
    }

    /// Returns the last summary with the counts of repeated findings, unless it was printed.
    mutating func finish() -> [String] {
        guard let event = pending else { return [] }
        pending = nil
        lastSummaryTime = event.time
        let counts = Dictionary(grouping: repeats.filter { $0.value > 0 }, by: \.key.channel)
        let lines = counts.sorted { $0.key < $1.key }.map { channel, sources in
            let texts = sources.sorted { $0.key.check.rawValue < $1.key.check.rawValue }
                .map { "\($0.key.check.rawValue) \($0.value) more" }
            return MonitorEvent.textLine(
                of: "repeats  \(texts.joined(separator: ", "))", channel: channel, time: event.time)
        }
        // A finding that did not repeat is news when it comes again.
        repeats = repeats.filter { $0.value > 0 }.mapValues { _ in 0 }
        return lines + [event.textLine].compactMap { $0 }
    }
}

extension MonitorEvent {
    /// The event as one line of text; nil for tags, which are too frequent.
    var textLine: String? {
        let what: String
        var hint: String?
        switch kind {
        case .tag: return nil
        case .state(let from, let to, let reason):
            what = "state    \(from.rawValue) -> \(to.rawValue)" + (reason.isEmpty ? "" : ": \(reason)")
        case .alert(let change, _):
            let alert = change.alert
            what =
                "alert    \(change.word): \(alert.severity.rawValue) \(alert.check.rawValue): \(alert.detail)"
                + change.ending
            if case .raised = change { hint = self.hint(on: alert.check) }
        case .finding(let check, let finding):
            what = "finding  \(finding.status.rawValue) \(check.rawValue): \(finding.detail)"
        case .summary(let summary):
            what =
                "summary  \(ChannelTable.text(of: summary)); \(summary.waitingCount) waiting, "
                + "\(summary.deliveredCount) delivered, \(summary.lostCount) lost"
        }
        return Self.textLine(of: what, hint: hint, channel: channel ?? "all", time: time)
    }

    /// The maximum length of the address of the documentation in a line; a longer one is replaced by the command.
    private static let maximumHintLength = 100

    /// Returns where to read what to do: the address of the documentation or the command that prints it.
    private func hint(on check: CheckID) -> String? {
        if let documentation = facts.documentation, documentation.count <= Self.maximumHintLength {
            return documentation
        }
        return check.declaration == nil ? nil : "dtvr check --explain \(check.rawValue)"
    }

    /// Returns a line with a time and a channel, without owner identifiers; it is shortened before the hint.
    static func textLine(of what: String, hint: String? = nil, channel: String, time: Int64) -> String {
        let line =
            "\(RFC3339.tableText(unixSeconds: time / 1_000)) UTC  \(channel)  \(Finding.shortened(what))"
        let end = hint.map { "; see \(PrintableText.of($0))" } ?? ""
        return WrappedText.shortened(PrintableText.of(line), to: EventLog.maximumLineLength - end.count) + end
    }
}
