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

    /// The maximum length of the counts in a line, in characters.
    private static let maximumCountLength = 100

    /// Joins texts to lines that are not too long.
    private static func joined(_ texts: [String]) -> [String] {
        var lines: [String] = []
        for text in texts {
            if let last = lines.last, last.count + text.count < maximumCountLength {
                lines[lines.count - 1] = "\(last), \(text)"
            } else {
                lines.append(text)
            }
        }
        return lines
    }

    /// Returns the last summary with the counts of repeated findings, unless it was printed.
    mutating func finish() -> [String] {
        guard let event = pending else { return [] }
        pending = nil
        lastSummaryTime = event.time
        let counts = Dictionary(grouping: repeats.filter { $0.value > 0 }, by: \.key.channel)
        let lines = counts.sorted { $0.key < $1.key }.flatMap { channel, sources in
            let texts = sources.sorted { $0.key.check.rawValue < $1.key.check.rawValue }
                .map { "\($0.key.check.rawValue) \($0.value) more" }
            return Self.joined(texts).map {
                MonitorEvent.textLine(of: "repeats  \($0)", channel: channel, time: event.time)
            }
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
        var ending = ""
        switch kind {
        case .tag: return nil
        case .state(let from, let to, let reason):
            what = "state    \(from.rawValue) -> \(to.rawValue)" + (reason.isEmpty ? "" : ": \(reason)")
        case .alert(let change, _):
            let alert = change.alert
            what =
                "alert    \(change.word): \(alert.severity.rawValue) \(alert.check.rawValue): \(alert.detail)"
            ending = Self.ending(of: change)
            if case .raised = change, let hint = hint(on: alert.check) { ending += "; see \(hint)" }
        case .finding(let check, let finding):
            what = "finding  \(finding.status.rawValue) \(check.rawValue): \(finding.detail)"
        case .summary(let summary):
            what =
                "summary  \(ChannelTable.text(of: summary)); \(summary.waitingCount) waiting, "
                + "\(summary.deliveredCount) delivered, \(summary.lostCount) lost"
        }
        return Self.textLine(of: what, ending: ending, channel: channel ?? "all", time: time)
    }

    /// The maximum length of the consequences in a line, in characters.
    private static let maximumConsequenceLength = 80

    /// The end of a line about a change, as in messages; of many consequences, it names the first ones.
    private static func ending(of change: AlertChange) -> String {
        let names = change.alert.consequences.map(\.check.rawValue)
        let list = names.joined(separator: ", ")
        guard list.count > maximumConsequenceLength else { return change.ending }
        var kept: [String] = []
        for name in names where (kept + [name]).joined(separator: ", ").count <= maximumConsequenceLength {
            kept.append(name)
        }
        return change.ending.replacing(
            list, with: "\(kept.joined(separator: ", ")) and \(names.count - kept.count) more")
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

    /// Returns a line with a time and a channel, without owner identifiers; it is shortened before the ending.
    static func textLine(of what: String, ending: String = "", channel: String, time: Int64) -> String {
        let line =
            "\(RFC3339.tableText(unixSeconds: time / 1_000)) UTC  \(channel)  \(Finding.shortened(what))"
        let end = PrintableText.of(ending)
        return shortened(PrintableText.of(line), to: EventLog.maximumLineLength - end.count) + end
    }

    /// Replaces words in the middle of a line by an ellipsis, so that no word, such as the id of a check, is cut.
    private static func shortened(_ line: String, to length: Int) -> String {
        guard line.count > length else { return line }
        let cut = WrappedText.shortened(line, to: length)
        guard let gap = cut.firstIndex(of: "…") else { return cut }
        let (start, end) = (cut[..<gap], cut[cut.index(after: gap)...])
        let words = start.lastIndex(of: " ").map { start[...$0] } ?? start
        let rest = end.firstIndex(of: " ").map { end[$0...] } ?? end
        // A word without blanks, such as an address, may be most of the line.
        return words.count + rest.count >= length / 2 ? "\(words)…\(rest)" : cut
    }
}
