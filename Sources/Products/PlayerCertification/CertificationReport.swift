public import NielsenID3
public import PlayerSession
public import Reporting
public import StreamHealth
package import TextForms

/// The report on the calls of a player.
public struct CertificationReport: Sendable {
    /// The name of the log.
    public let source: String
    /// One outcome for every rule, in the order of reports.
    public let outcomes: [CheckOutcome]
    package var error: String?

    /// The counts of the calls and the tags.
    package let summary: ReplaySummary
    /// The market whose rules were applied; nil if it is unknown.
    public let market: Market?
    /// The platform that the user named; nil otherwise.
    public let platform: Platform?
    private let exercise: ExerciseSummary
    /// The number of pings, and of AMP pages.
    private let pingCount: Int
    private let pageCount: Int
    private let comparison: StreamComparison?
    /// Whether the log has null in place of values of a user who has opted out.
    private let isWithheld: Bool
    /// The calls of each session, for a page.
    package let tracks: [CallTrack]

    init(
        source: String, outcomes: [CheckOutcome], summary: ReplaySummary, market: Market?,
        platform: Platform?, exercise: ExerciseSummary, pingCount: Int, pageCount: Int,
        isWithheld: Bool, comparison: StreamComparison? = nil, tracks: [CallTrack] = []
    ) {
        self.source = source
        self.outcomes = outcomes
        self.summary = summary
        self.market = market
        self.platform = platform
        self.exercise = exercise
        self.pingCount = pingCount
        self.pageCount = pageCount
        self.isWithheld = isWithheld
        self.comparison = comparison
        self.tracks = tracks
    }

    package var noun: String { "rule" }

    /// The worst status of all outcomes; `notRun` if the log has no values that a rule about playback could judge.
    public var status: CheckStatus {
        let status = outcomes.map(\.status).max() ?? .notRun
        guard isWithheld, status == .pass else { return status }
        let playback = outcomes.filter { outcome in
            !["log.", "start.", "order.calls", "metadata.spelling"].contains(
                where: outcome.id.rawValue.hasPrefix)
        }
        return playback.allSatisfy { $0.status == .notRun } ? .notRun : .pass
    }
    package var presence: CheckID? { nil }

    /// The lack of anything that a rule could judge.
    package var shortfall: String? { status == .notRun ? "no rule was run, so nothing was judged" : nil }

    /// Whether the input had neither a call nor a ping nor a page.
    package var isEmpty: Bool { summary.callCount == 0 && pingCount == 0 && pageCount == 0 }

    package var headlines: [String] {
        let (counts, calls) = (summary.counts, summary.callCount)
        var parts: [String] = []
        if calls > 0 || isEmpty {
            parts = [
                DecimalText.groupedCount(calls, "call"),
                DecimalText.groupedCount(counts.sessions, "viewing session"),
                DecimalText.groupedCount(counts.handed, "tag") + " handed over",
            ]
        }
        if pingCount > 0 { parts.append(DecimalText.groupedCount(pingCount, "ping")) }
        if pageCount > 0 { parts.append(DecimalText.groupedCount(pageCount, "page")) }
        if summary.unreadableCount > 0 {
            parts.append(DecimalText.groupedCount(summary.unreadableCount, "unreadable line"))
        }
        return [
            parts.joined(separator: ", "),
            "market: \(market?.rawValue ?? "unknown, so its rules are not run; add --market")"
                + (platform.map { ", platform: \($0.rawValue)" } ?? ""),
        ] + (isWithheld ? ["opted out: the log has no values of the user's calls"] : []) + situations
            + (comparison?.facts ?? [])
    }

    package var facts: [String] { headlines + [VerdictText.summary(outcomes, "rules")] }

    /// The situations that the log has, and those that it does not have.
    private var situations: [String] {
        guard summary.callCount > 0 else { return [] }
        var facts: [String] = []
        let (exercised, missing) = (exercise.exercised.map(\.text), exercise.missing.map(\.text))
        if !exercised.isEmpty { facts.append("exercised: " + exercised.joined(separator: ", ")) }
        if !missing.isEmpty { facts.append("not exercised: " + missing.joined(separator: ", ")) }
        return facts
    }

    package var properties: [(String, String)] {
        [
            ("verdict", status.rawValue), ("market", market?.rawValue ?? ""),
            ("platform", platform?.rawValue ?? ""),
            ("calls", String(summary.callCount)), ("pings", String(pingCount)), ("pages", String(pageCount)),
            ("unreadable", String(summary.unreadableCount)),
            ("viewing_sessions", String(summary.counts.sessions)),
            ("tags", String(summary.counts.handed)),
            ("exercised", exercise.exercised.map(\.rawValue).joined(separator: " ")),
        ]
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.write("market", market?.rawValue)
        if let platform { writer.write("platform", platform.rawValue) }
        writer.write("calls", summary.callCount)
        writer.write("pings", pingCount)
        writer.write("pages", pageCount)
        writer.write("unreadable", summary.unreadableCount)
        writer.write("viewing_sessions", summary.counts.sessions)
        writer.key("tags")
        writer.beginObject()
        writer.write("handed", summary.counts.handed)
        writer.write("stored", summary.counts.stored)
        writer.write("repeats", summary.counts.repeats)
        writer.write("ignored", summary.counts.ignored)
        writer.write("invalid", summary.counts.invalid)
        writer.write("discarded", summary.counts.discarded)
        writer.endObject()
        for (key, situations) in [("exercised", exercise.exercised), ("not_exercised", exercise.missing)] {
            writer.key(escaping: key)
            writer.beginArray()
            for situation in situations { writer.value(situation.rawValue) }
            writer.endArray()
        }
        comparison?.write(to: &writer)
    }
}

extension CertificationReport: VerdictReport {}

extension CertificationReport {
    /// Returns the report as a document, as `dtvr certify` prints it; nil for `csv`, because a log has no rows of tags.
    public func document(as format: ReportFormat) -> String? {
        [self].document(as: format, producer: "DTVRKit", made: nil).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}

extension [CertificationReport] {
    /// Returns the document for all logs; nil for a format of tags.
    ///
    /// - Parameters:
    ///   - producer: the producing program, as shown on a page.
    ///   - made: the creation time in Unix milliseconds, as shown on a page.
    ///   - listsAllChecks: whether text lists the rules that were not run too.
    package func document(
        as format: ReportFormat, producer: String, made: Int64?, isColored: Bool = false,
        terminalWidth: Int? = nil, listsAllChecks: Bool = false
    ) -> [UInt8]? {
        switch format {
        case .html: CallReport.bytes(map { ($0, $0.tracks) }, producer: producer, made: made)
        case .json: JSONReport.bytes(self)
        case .jsonl: flatMap { JSONReport.bytes([$0]) }
        case .junit: [UInt8](JUnitReport.text(self, producer: "dtvr certify").utf8)
        case .text:
            [UInt8](
                TextReport.text(
                    self, isColored: isColored, terminalWidth: terminalWidth, listsAllChecks: listsAllChecks
                ).utf8)
        case .sarif: SARIFReport.bytes(self, producer: producer)
        case .github: [UInt8](AnnotationReport.text(self).utf8)
        case .csv: nil
        }
    }
}
