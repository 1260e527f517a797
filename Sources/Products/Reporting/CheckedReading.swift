package import HLSInput
package import StreamHealth
package import ID3v2

/// One complete reading of a presentation, which checks each segment and collects the material of a report.
package struct CheckedReading {
    private let segments: SegmentReadings
    private var checker: PresentationChecker
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
        checker = PresentationChecker(
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
            checker.observe(segment.observation)
            material?.add(segment.observation)
            material?.mark(checker.drainSettledFindings())
            try await receive(segment)
        }
        let verdict = checker.finish()
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
