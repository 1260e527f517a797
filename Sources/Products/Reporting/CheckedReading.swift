public import HLSInput
package import ID3v2
import NielsenID3
public import StreamHealth

/// One complete reading of a presentation, which checks each segment and collects the material of a report.
package struct CheckedReading {
    private let segments: SegmentReadings
    private var checker: StreamChecker
    /// The material of the report; nil when only the verdict is needed.
    private var material: ReportMaterial?

    /// Creates a reading.
    ///
    /// - Parameters:
    ///   - segments: the segments of the presentation.
    ///   - policy: the limits for the checks.
    ///   - now: the current time, to compare the newest segment of a live presentation with; nil to skip this.
    ///   - format: the format of the report; nil when only the verdict is needed.
    package init(
        _ segments: SegmentReadings, policy: HealthPolicy, now: WallTime? = nil,
        for format: ReportFormat? = nil
    ) {
        self.segments = segments
        let outline = segments.outline
        checker = StreamChecker(
            outline, policy: policy, now: now, listsSettledFindings: format?.showsEveryTag ?? false)
        material = format.map { ReportMaterial(outline, for: $0) }
    }

    /// Reads to the end, passes on each segment after its checks, and returns the verdict.
    ///
    /// An error of `receive` ends the reading.
    package mutating func read<Failure: Error>(
        _ receive: (SegmentReading) async throws(Failure) -> Void
    ) async throws(Failure) -> HealthVerdict {
        for await segment in segments {
            checker.observe(segment)
            material?.add(segment.observation)
            material?.mark(checker.drainSettledFindings())
            try await receive(segment)
        }
        var verdict = checker.finish()
        if Task.isCancelled { verdict.isComplete = false }
        material?.mark(checker.drainSettledFindings())
        return verdict
    }

    /// Returns the report of the input; call it once, after `read`.
    ///
    /// `verdict` is the result of `read`, to which comparisons with other sources may have been added.
    package mutating func report(_ verdict: HealthVerdict) -> HealthReport {
        material?.finish(verdict) ?? HealthReport(verdict: verdict)
    }
}

extension StreamChecker {
    /// Creates the checks of a presentation that the caller reads: pass each element of `readings` to `observe`.
    ///
    /// - Parameters:
    ///   - readings: the segments of the presentation.
    ///   - policy: the limits for the checks.
    public init(_ readings: SegmentReadings, policy: HealthPolicy = HealthPolicy()) {
        self.init(readings.outline, policy: policy)
    }

    /// Checks the next segment, an element of the `SegmentReadings` or a reading of a `MemorySegmentReader`.
    ///
    /// A reading of a rendition that the checker was not created for is ignored.
    public mutating func observe(_ reading: SegmentReading) {
        var failure: HealthVerdict.Failure?
        if case .failed(let error) = reading.outcome {
            failure = HealthVerdict.Failure(segment: reading.name, reason: error.reason)
        }
        observe(reading.observation, failure: failure)
    }
}

/// The material of a report besides the verdict, collected while an input is read, as far as its format needs it.
///
/// Only formats that show every tag keep data that grows with the input.
struct ReportMaterial: Sendable {
    private let names: [String?]
    private var spacings: [SpacingSketch]
    private var tracks: [RenditionTrack] = []
    private var rows: [CSVReport] = []

    /// Creates the material of an unread presentation.
    init(_ outline: PresentationOutline, for format: ReportFormat) {
        names = outline.renditions.map(\.name)
        spacings = names.map { _ in SpacingSketch() }
        switch format {
        case .html: tracks = names.map { RenditionTrack(name: $0) }
        case .csv: rows = names.map { CSVReport(source: outline.source, rendition: $0) }
        case .text, .json, .jsonl, .junit, .sarif, .github: break
        }
    }

    /// Adds the next observation.
    mutating func add(_ observation: SegmentObservation) {
        let rendition = observation.rendition.index
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

    /// Marks the tags named in findings.
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

    /// Returns the report of the input after it was read.
    mutating func finish(_ verdict: HealthVerdict) -> HealthReport {
        // The rendition with the most tags represents the spacing best.
        let spacing = spacings.enumerated().max {
            ($0.element.count, $1.offset) < ($1.element.count, $0.offset)
        }
        return HealthReport(
            verdict: verdict, spacing: spacing?.element ?? SpacingSketch(), tracks: tracks,
            rows: rows.indices.flatMap { rows[$0].drainRows() })
    }
}
