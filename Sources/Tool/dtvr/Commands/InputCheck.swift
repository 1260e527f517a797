import HLSInput
import HostSystem
import ID3v2
import NielsenID3
import Reporting
import StreamHealth
import TextForms

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
        _ context: CommandContext, through connection: InputConnection, policy: HealthPolicy,
        format: ReportFormat, text: OwnerTextTags?
    ) throws(UsageError) {
        self.context = context
        self.policy = policy
        self.format = format
        self.text = text
        inputs = try InputAccess(context, through: connection, compares: true)
        otherInputs = try InputAccess(context, through: connection, compares: true, choice: .lowest)
    }

    /// Checks an input and returns its report; throws if the input or its comparison source is unreadable, or if the
    /// user interrupted.
    ///
    /// Errors have already been printed when it throws.
    ///
    /// - Parameter whole: The progress of all inputs; nil if there is only this one.
    func check(_ input: InputOperand, partOf whole: ProgressBar?) async throws(UnreadableInput)
        -> HealthReport
    {
        let segments = try await inputs.readings(of: input)
        let outline = segments.outline
        var other: SegmentReadings?
        if let name = context.invocation[.against] {
            other = try await otherInputs.readings(of: InputOperand(name))
        }
        var comparison = other.map {
            TagComparison(outline, against: $0.outline, policy: policy)
        }
        var textComparison = text.map {
            TagComparison(outline, againstOwnersIn: $0.source, policy: policy)
        }
        var reading = CheckedReading(
            segments, policy: policy, now: WallTime(unixMilliseconds: SystemClock().unixMilliseconds),
            for: format)
        var progress = InputProgress(segments, on: context.console, partOf: whole)
        var verdict = await reading.read { segment in
            comparison?.observe(segment.observation)
            textComparison?.observe(segment.observation)
            progress.add(segment)
        }
        try end(progress, of: input.source, endsAtInterruption: Self.endsAtInterruption(input.source))
        var unread = Self.unreadRenditions(of: segments)
        if let other {
            unread += Self.unreadRenditions(of: other)
            let failedCount = try await read(other, partOf: whole) { comparison?.observe($0, isOther: true) }
            if failedCount > 0 {
                let segments = DecimalText.groupedCount(failedCount, "segment")
                unread.append("\(segments) of \(other.outline.source)")
            }
            if let rows = comparison?.finish() { verdict.add(rows) }
        }
        if let text {
            textComparison?.observe(text)
            if let rows = textComparison?.finish() { verdict.add(rows) }
        }
        var report = reading.report(verdict)
        report.unread = unread
        return report
    }

    /// Returns what `--strict` reports of the renditions whose playlists could not be read.
    static func unreadRenditions(of segments: SegmentReadings) -> [String] {
        let count = segments.presentation.unreadRenditionCount
        if count == 0 { return [] }
        return [DecimalText.groupedCount(count, "rendition") + " of \(segments.outline.source)"]
    }

    /// Reads the source to compare with, and returns the number of segments that could not be read.
    private func read(
        _ segments: SegmentReadings, partOf whole: ProgressBar?, _ observe: (SegmentObservation) -> Void
    ) async throws(UnreadableInput) -> Int {
        var progress = InputProgress(segments, on: context.console, partOf: whole)
        for await segment in segments {
            observe(segment.observation)
            progress.add(segment)
        }
        try end(progress, of: segments.presentation.source)
        return progress.failedCount
    }

    /// Whether an interruption is the end of the input: standard input may be a live stream, which has no other.
    static func endsAtInterruption(_ source: String) -> Bool { source == "-" }

    /// Ends the progress, and throws if no segment was readable or the user interrupted.
    private func end(
        _ progress: InputProgress, of source: String, endsAtInterruption: Bool = false
    ) throws(UnreadableInput) {
        progress.end()
        let source = context.printable(source)
        if progress.readCount == 0 { throw UnreadableInput(reason: "\(source): no segment could be read") }
        if !endsAtInterruption, Task.isCancelled { throw UnreadableInput(reason: "\(source): interrupted") }
    }
}
