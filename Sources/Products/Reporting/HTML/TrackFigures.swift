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
        figure(isLive ? "Tags" : "Tags over media time", caption: timelineCaption, to: &html) { html in
            TagTimeline(track, analysis).write(to: &html, track: name, time: time)
            writeLegend(to: &html)
        }
        if let median = analysis.medianSpacing {
            figure(
                "Spacing of DATA tags",
                caption: "Seconds of media between each DATA tag and the previous one.", to: &html
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
            figure(
                "Tag clock against stream clock", caption: driftCaption, to: &html
            ) { html in
                ValuePlot(
                    points: analysis.drift, references: limits(limit),
                    least: min(-limit, -1) * 1.2...max(limit, 1) * 1.2, decimals: 1, noun: "ahead"
                ).write(to: &html, of: track, frame: frame("Tag clock minus stream clock in seconds"))
            }
        }
        if !analysis.audioDistance.isEmpty {
            figure(
                "Distance from the audio",
                caption: "Seconds from the audio to the tag, negative if the tag precedes the audio. "
                    + "Limit \(DecimalText.short(policy[.audioSync])) s in either direction.", to: &html
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

    private func figure(
        _ title: String, caption: String, to html: inout HTMLWriter, _ body: (inout HTMLWriter) -> Void
    ) {
        html.element("figure", ["class": "chart"]) { html in
            html.element("figcaption") { html in
                html.element("strong", title)
                html.element("span", caption)
            }
            body(&html)
        }
    }

    private func writeLegend(to html: inout HTMLWriter) {
        let signs: [(symbol: String, name: String, text: String, isThere: Bool)] = [
            ("#fail", "m-fail", "failure", track.tags.contains { $0.severity == .fail }),
            ("#warn", "m-warn", "warning", track.tags.contains { $0.severity == .warn }),
            ("#source", "source", "source change", !analysis.sourceChanges.isEmpty),
            ("#stretch", "gap", "gap in the tags", !analysis.gaps.isEmpty),
            ("#stretch", "unread", "segments not read", !analysis.unread.isEmpty),
            ("#dash", "discontinuity", "discontinuity", !analysis.discontinuities.isEmpty),
        ]
        guard signs.contains(where: \.isThere) else { return }
        html.element("p", ["class": "legend"]) { html in
            for sign in signs where sign.isThere {
                html.element("span") { html in
                    html.element("svg", ["width": "14", "height": "14", "aria-hidden": "true"]) { html in
                        html.shape("use", ["href": sign.symbol, "class": sign.name, "x": "7", "y": "7"])
                    }
                    html.text(sign.text)
                }
            }
        }
    }
}
