import NielsenID3
import StreamHealth
import TextForms

/// The plots of one track, stacked on a common axis of media time.
struct TrackFigures {
    let track: RenditionTrack
    let analysis: TrackAnalysis
    let policy: HealthPolicy
    /// The indices of the input and of its track, joined by a hyphen.
    let name: String
    let time: PlotAxis

    func write(to html: inout HTMLWriter) {
        html.figure(isLive ? "Tags" : "Tags over media time", caption: timelineCaption) { html in
            TagTimeline(track, analysis).write(to: &html, track: name, time: time)
            writeLegend(to: &html)
        }
        if let median = analysis.medianSpacing {
            html.figure(
                "Spacing of DATA tags",
                caption: "Seconds of media between each DATA tag and the previous one."
            ) { html in
                ValuePlot(
                    points: analysis.spacing,
                    references: [
                        .init(
                            value: median,
                            label: "median \(DecimalText.fixed(median, decimals: 1)) s", isLimit: false)
                    ], least: 0...max(12, median), decimals: 1, noun: "spacing"
                ).write(to: &html, of: track, frame: frame("Spacing of DATA tags in seconds"))
            }
        }
        if !analysis.drift.isEmpty {
            let limit = policy[.rateDrift]
            html.figure(
                "Tag clock against stream clock", caption: driftCaption
            ) { html in
                ValuePlot(
                    points: analysis.drift, references: limits(limit),
                    least: min(-limit, -1) * 1.2...max(limit, 1) * 1.2, decimals: 1, noun: "ahead"
                ).write(to: &html, of: track, frame: frame("Tag clock minus stream clock in seconds"))
            }
        }
        if !analysis.audioDistance.isEmpty {
            html.figure(
                "Distance from the audio",
                caption: "Seconds from the audio to the tag, negative if the tag precedes the audio. "
                    + "Limit \(DecimalText.short(policy[.audioSync])) s in either direction."
            ) { html in
                ValuePlot(
                    points: analysis.audioDistance, references: limits(policy[.audioSync]),
                    least: -0.5...1, decimals: 3, noun: "distance"
                ).write(to: &html, of: track, frame: frame("Seconds from the audio to each tag"))
            }
        }
    }

    private var isLive: Bool { track.clock != .media }

    private var timelineCaption: String {
        var text =
            isLive
            ? "Time at which the tags were due, in UTC." : "Media time from the start of the media read."
        if !isLive, track.segments.count > TagTimeline.maximumBorderCount {
            text +=
                " \(DecimalText.grouped(track.segments.count)) segments: too many to draw their boundaries."
        }
        if track.tags.count > PlotColumns.count {
            text += " Tags that are too close to draw separately share a mark."
        }
        return text
    }

    private let driftCaption =
        "Seconds that the tag clock has gained on the stream clock since the start of the run. Tags count whole "
        + "seconds. A run starts at a discontinuity or where one of the clocks jumps."

    private func limits(_ limit: Double) -> [ValuePlot.Reference] {
        [
            .init(value: limit, label: "limit ±\(DecimalText.short(limit)) s", isLimit: true),
            .init(value: -limit, label: nil, isLimit: true),
        ]
    }

    private func frame(_ label: String) -> PlotFrame {
        ValuePlot.frame(
            track: name, time: time, label: "\(label), over \(isLive ? "the last hour" : "media time")")
    }

    private func writeLegend(to html: inout HTMLWriter) {
        let signs = [
            PlotSign("#fail", "m-fail", "failure", isThere: track.tags.contains { $0.severity == .fail }),
            PlotSign("#warn", "m-warn", "warning", isThere: track.tags.contains { $0.severity == .warn }),
            PlotSign("#source", "source", "source change", isThere: !analysis.sourceChanges.isEmpty),
            PlotSign("#stretch", "gap", "gap in the tags", isThere: !analysis.gaps.isEmpty),
            PlotSign("#stretch", "unread", "segments not read", isThere: !analysis.unread.isEmpty),
            PlotSign("#dash", "discontinuity", "discontinuity", isThere: !analysis.discontinuities.isEmpty),
        ]
        html.legend(signs)
    }
}
