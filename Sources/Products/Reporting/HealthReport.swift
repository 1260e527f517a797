package import StreamHealth

/// What a report shows of one input: the verdict, and as much of the tags it rests on as its form needs.
///
/// | form | verdict | spacing | tracks |
/// | --- | --- | --- | --- |
/// | `TextReport` | yes | yes, one line | – |
/// | `JSONReport`, `JUnitReport` | yes | – | – |
/// | `PageReport` (HTML) | yes | – | yes, one a rendition |
/// | `CSVReport` | – | – | rows |
///
/// A verdict and a sketch of the spacing are of bounded size however long the input is, so only a page and rows need
/// memory for every tag.
package struct HealthReport: Sendable {
    /// What all checks together say.
    package var verdict: HealthVerdict

    /// How far the DATA tags of one rendition lie apart; empty where nobody looked.
    package var spacing: SpacingSketch

    /// The tags of every rendition, in the order in which the verdict names the renditions.
    package var tracks: [RenditionTrack]

    /// The rows of CSV, one rendition after the other.
    package var rows: [UInt8]

    /// Why there is no verdict; nil where there is one.
    package var error: String?

    /// A report of one input.
    package init(
        verdict: HealthVerdict, spacing: SpacingSketch = SpacingSketch(), tracks: [RenditionTrack] = [],
        rows: [UInt8] = []
    ) {
        self.verdict = verdict
        self.spacing = spacing
        self.tracks = tracks
        self.rows = rows
    }

    /// The report of an input of which nothing could be read: no check was run.
    package init(unreadable source: String, policy: HealthPolicy) {
        self.init(verdict: PresentationHealth(policy: policy, source: source).verdict)
        let reason = "Nothing could be read."
        error = reason
        for index in verdict.outcomes.indices {
            verdict.outcomes[index].status = .notRun
            verdict.outcomes[index].reason = reason
        }
    }
}

extension [HealthReport] {
    /// The worst of the verdicts; `notRun` where there is none.
    var status: CheckStatus { map(\.verdict.status).max() ?? .notRun }
}
