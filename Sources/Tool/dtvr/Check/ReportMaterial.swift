import HLSInput
import NielsenID3
import Reporting
import StreamHealth
import TimedMedia

/// What came of one input.
struct CheckedInput {
    let report: HealthReport
    /// The rows of its tags, one rendition after the other; empty for other forms than CSV.
    let rows: [UInt8]
}

/// What a report shows beside the verdict, gathered while an input is read: as much as its form asks for.
///
/// Only the forms that show every tag keep anything that grows with the input.
struct ReportMaterial {
    private let names: [String?]
    private var spacings: [SpacingSketch]
    private var tracks: [RenditionTrack] = []
    private var rows: [CSVReport] = []

    /// Material of a presentation of which nothing was read yet.
    init(_ presentation: Presentation, for format: ReportFormat, policy: HealthPolicy) {
        names = presentation.renditions.map(\.uri)
        spacings = names.map { _ in SpacingSketch() }
        switch format {
        case .html: tracks = names.map { RenditionTrack(name: $0, policy: policy) }
        case .csv: rows = names.map { CSVReport(source: presentation.source, rendition: $0) }
        case .text, .json, .junit: break
        }
    }

    /// Takes what was read next.
    mutating func add(_ observation: SegmentObservation) {
        let rendition = observation.rendition
        if !tracks.isEmpty, let segment = observation.segment { tracks[rendition].append(segment) }
        for tag in observation.tags + observation.trailingTags {
            spacings[rendition].append(tag)
            if !tracks.isEmpty {
                let distance = AudioDistance.seconds(of: tag, in: observation.segment)
                tracks[rendition].append(tag, audioDistance: distance)
            }
            if !rows.isEmpty { rows[rendition].append(tag) }
        }
    }

    /// Notes findings at the tags that they name.
    mutating func mark(_ findings: [(check: CheckID, finding: Finding)]) {
        guard !tracks.isEmpty || !rows.isEmpty else { return }
        for (check, finding) in findings { mark(check, finding) }
    }

    private mutating func mark(_ check: CheckID, _ finding: Finding) {
        guard let tag = finding.place.tagIndex,
            let rendition = names.firstIndex(of: finding.place.rendition)
        else { return }
        let raised = [(check, finding.status)] + finding.consequences.map { ($0.check, $0.status) }
        for (check, status) in raised {
            if !tracks.isEmpty { tracks[rendition].mark(check, status, tagIndex: tag) }
            if !rows.isEmpty { rows[rendition].mark(check, status, tagIndex: tag) }
        }
    }

    /// The input's report, once it was read.
    mutating func finish(_ verdict: HealthVerdict) -> CheckedInput {
        // The rendition with most tags shows best how they lie.
        let spacing = spacings.enumerated().max {
            ($0.element.count, $1.offset) < ($1.element.count, $0.offset)
        }
        let report = HealthReport(
            verdict: verdict, spacing: spacing?.element ?? SpacingSketch(), tracks: tracks)
        return CheckedInput(report: report, rows: rows.indices.flatMap { rows[$0].drainRows() })
    }
}
