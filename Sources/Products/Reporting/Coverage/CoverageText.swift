import TextForms

/// The texts of a coverage report: numbers, CSV and JSON.
enum CoverageText {
    /// Returns the share of the expected time with tags, 0 to 1; nil if no tags were expected.
    static func share(of days: [CoverageReport.Day]) -> Double? {
        let expected = days.reduce(0) { $0 + $1.expected }
        guard expected > 0 else { return nil }
        return Double(days.reduce(0) { $0 + $1.tagged }) / Double(expected)
    }

    /// Formats a share as a percentage, rounded down, so that only a share of 1 is `100 %`.
    static func percent(_ share: Double?) -> String {
        guard let share else { return "–" }
        if share >= 1 { return "100 %" }
        return DecimalText.fixed((share * 10_000).rounded(.down) / 100, decimals: 2) + " %"
    }

    /// Formats a duration for people: `8 s`, `3 min 20 s`, `4 h 05 min`.
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = (milliseconds + 500) / 1_000
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 {
            return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds / 60) min \(seconds % 60) s"
        }
        let minutes = (seconds + 30) / 60
        return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }

    /// Formats a time in the time zone of the report with its offset, such as `2026-11-20T13:00:00.000+01:00`.
    static func localText(_ time: Int64, in report: CoverageReport) -> String {
        let offset = report.offset(at: time)
        let minutes = offset.magnitude / 60
        let sign = offset < 0 ? "-" : "+"
        return String(RFC3339.text(unixMilliseconds: time + offset * 1_000).dropLast()) + sign
            + DecimalText.padded(minutes / 60, digits: 2) + ":" + DecimalText.padded(minutes % 60, digits: 2)
    }

    // MARK: CSV

    /// The columns of the CSV form.
    static let columns = [
        "row", "day", "channel", "name", "begin", "end", "begin_local", "end_local", "seconds", "share",
        "expected_seconds", "tagged_seconds", "gaps", "breaks", "break_seconds", "quiet_seconds",
        "outage_seconds",
        "backup_seconds", "unknown_seconds", "tags", "copies", "late", "monitors",
    ]

    /// Returns a header, and a row for each day and for each time of a state.
    static func csv(_ report: CoverageReport) -> [UInt8] {
        var text = columns.joined(separator: ",") + "\n"
        for channel in report.channels {
            for day in channel.days {
                let start = [day.date, CSVField.text(channel.id), CSVField.text(channel.name)]
                text +=
                    (["day"] + start + times(day.counted, in: report) + cells(of: day)).joined(separator: ",")
                    + "\n"
                for state in CoverageReport.State.allCases {
                    for span in day.times[state] ?? [] {
                        let cells = [state.rawValue] + start + times(span, in: report)
                        let rest = [String](repeating: "", count: columns.count - cells.count)
                        text += (cells + rest).joined(separator: ",") + "\n"
                    }
                }
            }
        }
        return Array(text.utf8)
    }

    private static func times(_ span: CoverageReport.Span, in report: CoverageReport) -> [String] {
        let ends = [span.lowerBound, span.upperBound]
        return ends.map { RFC3339.text(unixMilliseconds: $0) } + ends.map { localText($0, in: report) }
            + [seconds(Int64(span.count))]
    }

    private static func cells(of day: CoverageReport.Day) -> [String] {
        let states: [CoverageReport.State] = [.advertisement, .quiet]
        var cells = [
            share(of: [day]).map { DecimalText.fixed($0, decimals: 6) } ?? "", seconds(day.expected),
            seconds(day.tagged), String(day.times[.gap]?.count ?? 0),
            day.isUnknown ? "" : String(day.times[.advertisement]?.count ?? 0),
        ]
        var totals: [Int64] = states.map { day.total($0) }
        totals += [day.outage, day.total(.backup)]
        // A total that is unknown is empty.
        cells += totals.map { day.isUnknown ? "" : seconds($0) }
        cells.append(seconds(day.total(.unknown)))
        let counts: [Int] = [day.tagCount, day.copyCount, day.lateCount, day.monitorCount]
        return cells + counts.map { String($0) }
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        DecimalText.short(Double(milliseconds) / 1_000)
    }

    // MARK: JSON

    /// Returns one JSON object with a final line end.
    static func json(_ report: CoverageReport, made: Int64?) -> [UInt8] {
        var writer = JSONWriter(capacity: 1 << 16)
        writer.beginObject()
        writer.write("from", report.days.lowerBound)
        writer.write("to", report.days.upperBound)
        writer.write("time_zone", report.timeZone)
        if let made {
            writer.key("made")
            writer.value(time: made)
        }
        writer.key("channels")
        writer.beginArray()
        for channel in report.channels {
            writer.beginObject()
            writer.write("channel", channel.id)
            writer.write("name", channel.name)
            writer.write("share", channel.share)
            writer.key("days")
            writer.beginArray()
            for day in channel.days { write(day, of: report, to: &writer) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    private static func write(
        _ day: CoverageReport.Day, of report: CoverageReport, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.write("day", day.date)
        write(day.counted, of: report, to: &writer)
        writer.write("share", share(of: [day]))
        writer.write("expected_seconds", number: Double(day.expected) / 1_000)
        writer.write("tagged_seconds", number: Double(day.tagged) / 1_000)
        writer.write(
            "breaks", day.isUnknown ? "unknown" : day.unknownText == nil ? "known" : "partly unknown")
        writer.write("tags", day.tagCount)
        writer.write("copies", day.copyCount)
        writer.write("late", day.lateCount)
        writer.write("monitors", day.monitorCount)
        writer.key("times")
        writer.beginObject()
        for state in CoverageReport.State.allCases {
            writer.key(state.rawValue)
            writer.beginArray()
            for span in day.times[state] ?? [] {
                writer.beginObject()
                write(span, of: report, to: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        writer.endObject()
    }

    private static func write(
        _ span: CoverageReport.Span, of report: CoverageReport, to writer: inout JSONWriter
    ) {
        for (key, time) in [("begin", span.lowerBound), ("end", span.upperBound)] {
            writer.key(key)
            writer.value(time: time)
        }
        writer.write("begin_local", localText(span.lowerBound, in: report))
        writer.write("end_local", localText(span.upperBound, in: report))
        writer.write("seconds", number: Double(span.count) / 1_000)
    }
}
