import NielsenID3
import StreamHealth
import TextForms

/// The calls of a player over time, as far as a page draws them.
///
/// Its size has a limit: of more marks, only as many as fit are kept.
package struct CallTrack: Sendable, Hashable {
    /// A span of time, in seconds since the start of the log.
    package struct Span: Sendable, Hashable {
        package let start: Double
        package let end: Double
        /// The text of the tooltip.
        package let title: String

        /// Creates a span.
        package init(start: Double, end: Double, title: String) {
            (self.start, self.end, self.title) = (start, end, title)
        }
    }

    /// The maximum number of marks of a kind.
    package static let maximumCount = 20_000

    /// The name of the session in the log; empty if there is only one.
    package let instance: String
    /// The time of the last call.
    package private(set) var end = 0.0
    private(set) var playheads: [(at: Double, seconds: Double)] = []
    private(set) var tags: [Double] = []
    private(set) var advertisements: [Span] = []
    private(set) var interruptions: [Span] = []
    private(set) var calls: [(at: Double, name: String)] = []

    /// Creates a track without calls.
    package init(instance: String) { self.instance = instance }

    /// Adds a call other than a playhead or a tag.
    package mutating func addCall(_ name: String, at time: Double) {
        end = max(end, time)
        if calls.count < Self.maximumCount { calls.append((time, name)) }
    }

    /// Adds a playhead.
    package mutating func addPlayhead(_ seconds: Double, at time: Double) {
        end = max(end, time)
        if playheads.count < Self.maximumCount { playheads.append((time, seconds)) }
    }

    /// Adds a tag that was handed over.
    package mutating func addTag(at time: Double) {
        end = max(end, time)
        if tags.count < Self.maximumCount { tags.append(time) }
    }

    /// Adds the span of an advertisement.
    package mutating func addAdvertisement(_ span: Span) {
        end = max(end, span.end)
        if advertisements.count < Self.maximumCount { advertisements.append(span) }
    }

    /// Adds a span in which playback was interrupted.
    package mutating func addInterruption(_ span: Span) {
        end = max(end, span.end)
        if interruptions.count < Self.maximumCount { interruptions.append(span) }
    }

    package static func == (one: CallTrack, other: CallTrack) -> Bool {
        one.instance == other.instance && one.end == other.end && one.tags == other.tags
            && one.advertisements == other.advertisements && one.interruptions == other.interruptions
            && one.playheads.count == other.playheads.count && one.calls.count == other.calls.count
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(instance)
        hasher.combine(end)
    }
}

/// The plots of a player's calls: lanes for findings, calls, tags, advertisements and interruptions, and the playheads.
struct CallTimeline {
    private let track: CallTrack
    /// The findings at calls of the session.
    private let findings: [(check: CheckID, finding: Finding)]
    private let time: PlotAxis
    private let name: String

    private static let laneHeight = 24
    private static let lanes = ["Findings", "Calls", "Tags", "Ads", "Breaks"]
    /// The number of columns into which marks are merged.
    private static let columnCount = 400.0

    /// Creates the plots of a track.
    ///
    /// - Parameters:
    ///   - outcomes: the outcomes whose findings are marked.
    ///   - name: the indices of the input and of the track, joined by a hyphen.
    init(_ track: CallTrack, _ outcomes: [CheckOutcome], name: String) {
        self.track = track
        self.name = name
        time = .time(to: track.end)
        findings = outcomes.flatMap { outcome in
            outcome.findings.filter { $0.status > .pass && $0.place.call?.instance == track.instance }
                .map { (outcome.id, $0) }
        }
    }

    func write(to html: inout HTMLWriter) {
        html.figure("Calls over time", caption: "Seconds since the start of the log.") { html in
            writeLanes(to: &html)
            writeLegend(to: &html)
        }
        guard track.playheads.count > 1 else { return }
        html.figure("Playheads", caption: "The position that the player reported, in seconds.") { html in
            writePlayheads(to: &html)
        }
    }

    private func writeLanes(to html: inout HTMLWriter) {
        let height = Self.lanes.count * Self.laneHeight + 8
        let label =
            "Calls over time: \(DecimalText.groupedCount(track.tags.count, "tag")), "
            + DecimalText.groupedCount(findings.count, "finding")
        let labels = Self.lanes.enumerated().map { (y: Self.middle(of: $0.offset), text: $0.element) }
        PlotFrame(track: name, time: time, height: height, label: label).write(to: &html, labels: labels) {
            html in
            for (check, finding) in findings {
                html.shape(
                    "use", title: "\(check.rawValue): \(finding.detail)",
                    [
                        "href": finding.status == .fail ? "#fail" : "#warn",
                        "class": finding.status.markClass, "x": time.percent(of: finding.place.call?.at ?? 0),
                        "y": DecimalText.short(Self.middle(of: 0)),
                    ])
            }
            writeMarks(track.calls.map { ($0.at, $0.name) }, in: 1, "lane k-other", to: &html)
            writeMarks(track.tags.map { ($0, "tag") }, in: 2, "lane k-data", to: &html)
            write(track.advertisements, in: 3, "advertisement", to: &html)
            write(track.interruptions, in: 4, "interruption", to: &html)
        }
    }

    /// Writes a mark for each time, or one for all in a column.
    private func writeMarks(
        _ marks: [(at: Double, name: String)], in lane: Int, _ style: String, to html: inout HTMLWriter
    ) {
        html.element("g", ["class": style]) { html in
            var index = 0
            while index < marks.count {
                let column = (time.fraction(of: marks[index].at) * Self.columnCount).rounded(.down)
                var end = index + 1
                while end < marks.count,
                    (time.fraction(of: marks[end].at) * Self.columnCount).rounded(.down) == column
                { end += 1 }
                let more = end - index > 1 ? " and \(end - index - 1) more" : ""
                html.shape(
                    "rect", title: "\(DecimalText.clock(marks[index].at)): \(marks[index].name)\(more)",
                    [
                        "x": time.percent(of: marks[index].at), "width": "2", "height": "14", "rx": "1",
                        "y": DecimalText.short(Self.middle(of: lane) - 7),
                    ])
                index = end
            }
        }
    }

    private func write(_ spans: [CallTrack.Span], in lane: Int, _ style: String, to html: inout HTMLWriter) {
        for span in spans {
            let width = max(0.2, (time.fraction(of: span.end) - time.fraction(of: span.start)) * 100)
            html.shape(
                "rect", title: span.title,
                [
                    "class": style, "x": time.percent(of: span.start),
                    "width": DecimalText.short(width) + "%",
                    "y": DecimalText.short(Self.middle(of: lane) - 6), "height": "12", "rx": "2",
                ])
        }
    }

    private func writePlayheads(to html: inout HTMLWriter) {
        let values = track.playheads.map(\.seconds)
        let axis = PlotAxis.values(from: values.min() ?? 0, to: values.max() ?? 1)
        let height = 132
        func y(_ value: Double) -> Double { 8 + (1 - axis.fraction(of: value)) * Double(height - 16) }
        let labels = axis.ticks.map { (y: y($0), text: DecimalText.short($0)) }
        let frame = PlotFrame(track: name, time: time, height: height, label: "Playheads over time")
        frame.write(to: &html, labels: labels) { html in
            for tick in axis.ticks {
                let level = DecimalText.short(y(tick))
                html.shape("line", ["class": "grid", "x1": "0", "x2": "100%", "y1": level, "y2": level])
            }
            html.element("g", ["class": "values"]) { html in
                var last = (column: -1.0, row: -1.0)
                for (at, seconds) in track.playheads {
                    // Marks that cover each other are drawn once.
                    let place = (
                        column: (time.fraction(of: at) * Self.columnCount).rounded(.down),
                        row: (y(seconds) / 3).rounded(.down)
                    )
                    if place == last { continue }
                    last = place
                    html.shape(
                        "rect", title: "\(DecimalText.clock(at)): playhead \(DecimalText.short(seconds))",
                        [
                            "x": time.percent(of: at), "y": DecimalText.short(y(seconds) - 2), "width": "4",
                            "height": "4", "rx": "2",
                        ])
                }
            }
        }
    }

    private func writeLegend(to html: inout HTMLWriter) {
        let signs = [
            PlotSign("#fail", "m-fail", "failure", isThere: findings.contains { $0.finding.status == .fail }),
            PlotSign("#warn", "m-warn", "warning", isThere: findings.contains { $0.finding.status == .warn }),
            PlotSign("#stretch", "advertisement", "advertisement", isThere: !track.advertisements.isEmpty),
            PlotSign("#stretch", "interruption", "interruption", isThere: !track.interruptions.isEmpty),
        ]
        html.legend(signs)
    }

    private static func middle(of lane: Int) -> Double { Double(lane * laneHeight + laneHeight / 2 + 4) }
}
