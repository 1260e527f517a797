import NielsenID3
import StreamHealth
import TextForms

/// The tags of one track over media time: a lane for each kind, problems, source changes, and segments.
struct TagTimeline {
    private let track: RenditionTrack
    private let analysis: TrackAnalysis
    private let lanes: [Lane]

    private static let laneHeight = 24
    /// The maximum number of segments with visible borders; more would merge into a solid bar.
    static let maximumBorderCount = 400

    private enum Lane {
        case problems
        case kind(String, Set<TrackedTag.Kind>, mark: String)
        case source
        case segments

        var label: String {
            switch self {
            case .problems: "Problems"
            case .kind(let name, _, _): name
            case .source: "Source"
            case .segments: "Segments"
            }
        }
    }

    init(_ track: RenditionTrack, _ analysis: TrackAnalysis) {
        self.track = track
        self.analysis = analysis
        var lanes: [Lane] = [
            .problems, .kind("DATA", [.data], mark: "k-data"), .kind("INFO", [.info], mark: "k-info"),
        ]
        let others: Set<TrackedTag.Kind> = [.unknown, .truncated, .unreadable]
        if track.tags.contains(where: { others.contains($0.kind) }) {
            lanes.append(.kind("Other", others, mark: "k-other"))
        }
        if !analysis.sourceChanges.isEmpty { lanes.append(.source) }
        if !track.segments.isEmpty, track.clock == .media { lanes.append(.segments) }
        self.lanes = lanes
    }

    func write(to html: inout HTMLWriter, track name: String, time: PlotAxis) {
        let height = lanes.count * Self.laneHeight + 8
        let label =
            "Tags over media time: \(DecimalText.count(track.tagCount, "tag")), "
            + "\(track.tags.count { $0.severity > .pass }) with a problem"
        let frame = PlotFrame(track: name, time: time, height: height, label: label)
        let labels = lanes.enumerated().map { (y: Self.middle(of: $0.offset), text: $0.element.label) }
        frame.write(to: &html, labels: labels) { html in
            writeStretches(to: &html, time, height: height)
            for (index, lane) in lanes.enumerated() {
                let middle = Self.middle(of: index)
                switch lane {
                case .problems: writeProblems(to: &html, time, at: middle)
                case .kind(let noun, let kinds, let mark):
                    html.element("g", ["class": "lane \(mark)"]) { html in
                        Self.writeMarks(
                            track.tags.enumerated().filter { kinds.contains($0.element.kind) }
                                .map { (tag: $0.offset, position: $0.element.position) },
                            of: track, noun: noun, to: &html, time, at: middle, coloursProblems: false)
                    }
                case .source: writeSources(to: &html, time, at: middle)
                case .segments: writeSegments(to: &html, time, at: middle)
                }
            }
            for mark in analysis.discontinuities.prefix(PlotColumns.count) {
                let x = time.percent(of: mark.position)
                html.shape(
                    "line", title: mark.title,
                    ["class": "discontinuity", "x1": x, "x2": x, "y1": "0", "y2": String(height)])
            }
        }
    }

    /// Writes a mark for each tag, or one for all tags in a column.
    static func writeMarks(
        _ places: [(tag: Int, position: Double)], of track: RenditionTrack, noun: String,
        to html: inout HTMLWriter, _ time: PlotAxis, at middle: Double, coloursProblems: Bool
    ) {
        let points = places.map { TrackAnalysis.Point(tag: $0.tag, position: $0.position, value: 0) }
        for column in PlotColumns(points, of: track.tags, on: time).columns {
            html.shape(
                "rect", title: title(of: column, in: track, noun: noun),
                [
                    "x": time.percent(of: (column.first + column.last) / 2),
                    "y": DecimalText.short(middle - 7), "width": "2", "height": "14", "rx": "1",
                    "class": coloursProblems ? column.severity.markClass : nil,
                ])
        }
    }

    private static func title(
        of column: PlotColumns.Column, in track: RenditionTrack, noun: String
    ) -> String {
        let first = track.clock.text(column.first)
        guard column.count == 1 else {
            return "\(first) to \(track.clock.text(column.last)): \(column.count) \(noun) tags"
        }
        let tag = track.tags[column.tag]
        var title = "\(first): \(tag.kind.word)"
        if let sequence = tag.sequence { title += " \(sequence)" }
        if !tag.problems.isEmpty {
            title += ": " + tag.problems.checks.map(\.rawValue).joined(separator: ", ")
        }
        return title
    }

    /// Writes the stretches without tags, below everything else.
    private func writeStretches(to html: inout HTMLWriter, _ time: PlotAxis, height: Int) {
        for (stretches, name) in [(analysis.gaps, "gap"), (analysis.unread, "unread")] {
            for stretch in stretches.prefix(PlotColumns.count) {
                let width = time.fraction(of: stretch.to) - time.fraction(of: stretch.from)
                html.shape(
                    "rect", title: stretch.title,
                    [
                        "class": name, "x": time.percent(of: stretch.from), "y": "0",
                        "width": DecimalText.short(max(width * 100, 0.15)) + "%", "height": String(height),
                    ])
            }
        }
    }

    private func writeProblems(to html: inout HTMLWriter, _ time: PlotAxis, at middle: Double) {
        guard track.tags.contains(where: { $0.severity > .pass }) else {
            html.element(
                "text", ["class": "note", "x": "4", "y": DecimalText.short(middle + 4)],
                "none at a tag")
            return
        }
        for severity in [CheckStatus.warn, .fail] {
            let points = track.tags.enumerated().filter { $0.element.severity == severity }
                .map { TrackAnalysis.Point(tag: $0.offset, position: $0.element.position, value: 0) }
            for column in PlotColumns(points, of: track.tags, on: time).columns {
                html.shape(
                    "use", title: Self.title(of: column, in: track, noun: "problem"),
                    [
                        "href": severity == .fail ? "#fail" : "#warn", "class": severity.markClass,
                        "x": time.percent(of: (column.first + column.last) / 2),
                        "y": DecimalText.short(middle),
                    ])
            }
        }
    }

    private func writeSources(to html: inout HTMLWriter, _ time: PlotAxis, at middle: Double) {
        for mark in analysis.sourceChanges.prefix(PlotColumns.count) {
            html.shape(
                "use", title: mark.title,
                [
                    "href": "#source", "class": "source", "x": time.percent(of: mark.position),
                    "y": DecimalText.short(middle),
                ])
        }
    }

    private func writeSegments(to html: inout HTMLWriter, _ time: PlotAxis, at middle: Double) {
        let end = track.segments.map { $0.position + $0.duration }.max() ?? 0
        html.shape(
            "rect",
            [
                "class": "segments", "x": "0", "y": DecimalText.short(middle - 3), "height": "6",
                "width": time.percent(of: end),
            ])
        guard track.segments.count <= Self.maximumBorderCount else { return }
        for segment in track.segments {
            let x = time.percent(of: segment.position)
            html.shape(
                "line", title: "segment begins at \(track.clock.text(segment.position))",
                [
                    "class": "border", "x1": x, "x2": x, "y1": DecimalText.short(middle - 6),
                    "y2": DecimalText.short(middle + 6),
                ])
        }
    }

    private static func middle(of lane: Int) -> Double { Double(lane * laneHeight + laneHeight / 2 + 4) }
}
