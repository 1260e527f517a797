package import ID3v2
package import StreamHealth

/// The plots of a live channel's last hour on a page.
package enum LivePlots {
    /// Writes the plots of each rendition, with the first one open, and the data that `PlotScript` reads.
    ///
    /// - Parameter now: the end of the hour.
    package static func write(
        _ tracks: [LiveTrack], policy: HealthPolicy, now: WallTime, to html: inout HTMLWriter
    ) {
        let tracks = tracks.map { $0.track(upTo: now) }
        for (index, track) in tracks.enumerated() {
            let figures = TrackFigures(
                track: track, analysis: TrackAnalysis(track), policy: policy, name: "0-\(index)",
                time: .time(to: LiveTrack.length, clock: track.clock))
            if tracks.count > 1 {
                html.element("details", ["class": "track", "open": index == 0 ? "open" : nil]) { html in
                    html.element("summary") {
                        $0.element("bdi", track.title(number: index + 1))
                    }
                    figures.write(to: &html)
                }
            } else {
                figures.write(to: &html)
            }
            html.data(id: "data-0-\(index)", json: TagColumns.json(of: track))
        }
    }
}

/// The script of the plots, which shows the tag under the pointer.
package enum PlotScript {
    /// The code that precedes a page's script, which calls `bindPlots`.
    package static var code: [UInt8] { PackageResources.plotsJS }
}
