import HLSInput
import StreamHealth
import StreamMonitor
import TextForms

/// The table of all channels on a terminal: the most urgent first, and a count of those that do not fit.
struct ChannelTable {
    /// The size of the terminal, in columns and lines.
    let width: Int
    let height: Int

    private struct Column {
        let title: String
        let isNumber: Bool
        let text: (ChannelSnapshot) -> String
    }

    /// Returns the lines of the table: a heading, the channels, and a summary.
    func lines(
        of channels: [ChannelSnapshot], summary: MonitorSummary, buffer: String, now: Int64
    ) -> [String] {
        let rows = channels.sorted { one, other in
            let (first, second) = (one.urgency, other.urgency)
            return first == second ? NaturalOrder.precedes(one.id, other.id) : first > second
        }
        let columns = Self.columns(now: now)
        // Three lines are for the heading, the summary, and the cursor.
        let room = max(1, height - 3)
        let shown = rows.count > room ? rows.prefix(room - 1) : rows[...]
        let cells = shown.map { row in columns.map { $0.text(row) } }
        let widths = columns.indices.map { index in
            max(columns[index].title.count, cells.map { $0[index].count }.max() ?? 0)
        }
        var lines = [line(columns.map(\.title), columns, widths)]
        lines += cells.map { line($0, columns, widths) }
        if shown.count < rows.count {
            lines.append(fitted("… and \(Self.text(of: rows.dropFirst(shown.count)))"))
        }
        lines.append(fitted("\(Self.text(of: summary)); \(buffer)"))
        return lines
    }

    private func line(_ cells: [String], _ columns: [Column], _ widths: [Int]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: max(0, widths[index] - cell.count))
            let isLast = index == cells.count - 1
            text += index > 0 ? "  " : ""
            text += columns[index].isNumber ? padding + cell : cell + (isLast ? "" : padding)
        }
        return fitted(text)
    }

    private func fitted(_ text: String) -> String {
        guard text.count > width else { return text }
        // A part of a check's id would name no check.
        let line = text.prefix(width)
        let isWithinWord = !line.hasSuffix(" ")
        let words = isWithinWord ? line[..<(line.lastIndex(of: " ") ?? line.startIndex)] : line
        let minimum = width / 2
        return (words.count >= minimum ? String(words.prefix(width - 1)) : String(text.prefix(width - 1)))
            + "…"
    }

    private static func columns(now: Int64) -> [Column] {
        [
            Column(title: "CHANNEL", isNumber: false) {
                WrappedText.shortened(PrintableText.of($0.id), to: 24)
            },
            Column(title: "STATE", isNumber: false) { $0.state.rawValue },
            Column(title: "LAST TAG", isNumber: true) { channel in
                channel.lastTagTime.map { "\(DurationText.age(milliseconds: now - $0)) ago" } ?? "-"
            },
            Column(title: "SPACING", isNumber: true) { channel in
                channel.spacing.map { "\(DecimalText.short(($0 * 10).rounded() / 10, unknown: "-")) s" }
                    ?? "-"
            },
            Column(title: "TAGS", isNumber: true) { "\($0.tagCount)" },
            Column(title: "PROBLEMS", isNumber: true) { "\($0.problemCount)" },
            Column(title: "BEHIND", isNumber: true) { channel in
                channel.secondsBehindLive.map { "\(DecimalText.fixed($0, decimals: 0, unknown: "-")) s" }
                    ?? "-"
            },
            Column(title: "WHY", isNumber: false) { channel in
                channel.state == .healthy ? "" : PrintableText.of(channel.reason)
            },
        ]
    }

    private static func text(of rest: ArraySlice<ChannelSnapshot>) -> String {
        var counts: [ChannelState: Int] = [:]
        for channel in rest { counts[channel.state, default: 0] += 1 }
        return "\(rest.count) more: \(text(of: counts))"
    }

    /// Returns the number of channels per state, and the number of tags, in one line.
    static func text(of summary: MonitorSummary) -> String {
        DecimalText.count(summary.channelCount, "channel") + ": \(text(of: summary.channelCounts)); "
            + DecimalText.count(summary.tagCount, "tag")
    }

    private static func text(of counts: [ChannelState: Int]) -> String {
        ChannelState.allCases.filter { counts[$0, default: 0] > 0 }
            .map { "\(counts[$0, default: 0]) \($0.rawValue)" }.joined(separator: ", ")
    }
}

extension ChannelSnapshot {
    /// The sort rank of the state; the highest needs attention first.
    fileprivate var urgency: Int {
        switch state {
        case .unreachable: 7
        case .ended: mayEnd ? 0 : 6
        case .silent: 5
        case .degraded: 4
        case .connecting: 3
        case .healthy: 2
        case .paused: 1
        }
    }
}
