import NielsenID3
package import StreamHealth

/// The content of a report about one input: the verdict, and as much of its tags as the format needs.
///
/// | format | verdict | spacing | tracks |
/// | --- | --- | --- | --- |
/// | `TextReport` | yes | yes, one line | – |
/// | `JSONReport`, `JUnitReport`, `SARIFReport`, `AnnotationReport` | yes | – | – |
/// | `PageReport` (HTML) | yes | – | yes, one per rendition |
/// | `CSVReport` | – | – | rows |
///
/// A verdict and a spacing sketch have a bounded size for any input. Only HTML pages and CSV rows need memory for every
/// tag.
package struct HealthReport: Sendable {
    /// The verdict of all checks.
    package var verdict: HealthVerdict

    /// The distances between the DATA tags of one rendition; empty if they were not collected.
    var spacing: SpacingSketch

    /// The tags of every rendition, in the order of the verdict's renditions.
    var tracks: [RenditionTrack]

    /// The CSV rows, one rendition after the other.
    package var rows: [UInt8]

    /// The reason why there is no verdict, or why `--strict` refuses it; nil otherwise.
    package var error: String?

    /// Descriptions of unread parts besides segments of the input, such as `1 rendition`.
    package var unread: [String] = []

    /// Creates the report of one input without its tags.
    package init(verdict: HealthVerdict) { self.init(verdict: verdict, rows: []) }

    /// Creates the report of one input.
    init(
        verdict: HealthVerdict, spacing: SpacingSketch = SpacingSketch(), tracks: [RenditionTrack] = [],
        rows: [UInt8] = []
    ) {
        self.verdict = verdict
        self.spacing = spacing
        self.tracks = tracks
        self.rows = rows
    }

    /// Creates the report of an input that could not be read, where no check ran.
    package init(unreadable source: String, policy: HealthPolicy, reason: String? = nil) {
        var checker = StreamChecker(source: source, policy: policy)
        self.init(verdict: checker.finish())
        let reason = reason ?? "Nothing could be read."
        error = reason
        for index in verdict.outcomes.indices {
            verdict.outcomes[index].status = .notRun
            verdict.outcomes[index].reason = reason
        }
    }
}

extension [HealthReport] {
    /// The worst verdict; `notRun` without any.
    var status: CheckStatus { map(\.verdict.status).max() ?? .notRun }
}
