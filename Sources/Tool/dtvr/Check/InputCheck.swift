import HLSInput
import HostSystem
import NielsenID3
import Reporting
import StreamHealth
import TimedMedia

/// Reads and checks complete inputs, and compares each with another source or an owner text if the user names one.
struct InputCheck {
    let context: CommandContext
    let policy: HealthPolicy
    let format: ReportFormat
    /// The owner identifiers to compare the tags with, or nil without an owner text.
    let text: OwnerTextTags?

    private let inputs: InputAccess
    private let otherInputs: InputAccess

    init(
        _ context: CommandContext, policy: HealthPolicy, format: ReportFormat, text: OwnerTextTags?
    ) throws(UsageError) {
        self.context = context
        self.policy = policy
        self.format = format
        self.text = text
        inputs = try InputAccess(context, compares: true)
        otherInputs = try InputAccess(context, compares: true, choice: .lowest)
    }

    /// Checks an input and returns its report, or nil if the input or its comparison source is unreadable.
    ///
    /// Errors have already been printed when it returns nil.
    func check(_ source: String) async -> HealthReport? {
        guard let segments = await inputs.open(source) else { return nil }
        let outline = segments.presentation.outline
        var other: SegmentReadings?
        if let name = context.invocation[.against] {
            other = await otherInputs.open(name)
            if other == nil { return nil }
        }
        var comparison = other.map {
            SourceComparison(outline, against: $0.presentation.outline, policy: policy)
        }
        var textComparison = text.map {
            SourceComparison(outline, againstOwnersIn: $0.source, policy: policy)
        }
        var reading = CheckedReading(
            segments, policy: policy, now: WallTime(unixMilliseconds: SystemClock().unixMilliseconds),
            for: format)
        var progress = InputProgress(segments, on: context.console)
        var verdict = await reading.read { segment in
            comparison?.observe(segment.observation)
            textComparison?.observe(segment.observation)
            progress.add(segment)
        }
        guard isComplete(progress, endsAtInterruption: Self.endsAtInterruption(source)) else { return nil }
        if let other {
            guard await read(other, { comparison?.observeOther($0) }) else { return nil }
            if let rows = comparison?.finish() { verdict.add(rows) }
        }
        if let text {
            textComparison?.observe(text)
            if let rows = textComparison?.finish() { verdict.add(rows) }
        }
        return reading.report(verdict)
    }

    /// Reads the source to compare with, and returns false if no segment was readable or the user interrupted.
    private func read(_ segments: SegmentReadings, _ observe: (SegmentObservation) -> Void) async -> Bool {
        var progress = InputProgress(segments, on: context.console)
        for await segment in segments {
            observe(segment.observation)
            progress.add(segment)
        }
        return isComplete(progress)
    }

    /// Whether an interruption is the end of the input: standard input may be a live stream, which has no other.
    static func endsAtInterruption(_ source: String) -> Bool { source == "-" }

    /// Ends the progress, and returns false if no segment was readable or the user interrupted.
    private func isComplete(_ progress: InputProgress, endsAtInterruption: Bool = false) -> Bool {
        progress.end()
        return progress.readCount > 0 && (endsAtInterruption || !Task.isCancelled)
    }
}
