import HLSInput
import NielsenID3
import Reporting
import StreamHealth

/// Reads inputs to their ends and judges them, each against another source or a text where the user names one.
struct InputCheck {
    let context: CommandContext
    let policy: HealthPolicy
    let format: ReportFormat
    /// The owner identifiers that the tags are compared with; nil without a text.
    let text: OwnerTextTags?

    private let access: InputAccess
    private let otherAccess: InputAccess

    init(
        _ context: CommandContext, policy: HealthPolicy, format: ReportFormat, text: OwnerTextTags?, jobs: Int
    ) throws(UsageError) {
        self.context = context
        self.policy = policy
        self.format = format
        self.text = text
        access = try InputAccess(context, observes: true, jobs: jobs)
        otherAccess = try InputAccess(context, observes: true, choice: .lowest, jobs: jobs)
    }

    /// Judges an input; nil where nothing could be read of it, or of what it is compared with.
    ///
    /// What could not be read has been said then.
    func check(_ source: String) async -> CheckedInput? {
        guard let reader = await access.open(source) else { return nil }
        var other: ProgrammeReader?
        if let name = context.invocation[.against] {
            other = await otherAccess.open(name)
            if other == nil { return nil }
        }
        var checker = PresentationChecker(
            reader.programme.outline, policy: policy, listsSettledFindings: format.showsEveryTag)
        var material = ReportMaterial(reader.programme, for: format)
        var comparison = other.map {
            SourceComparison(reader.programme.outline, against: $0.programme.outline, policy: policy)
        }
        var textComparison = text.map {
            SourceComparison(reader.programme.outline, againstOwnersIn: $0.source, policy: policy)
        }
        let isRead = await read(reader, through: access) { observation in
            checker.observe(observation)
            material.add(observation)
            material.mark(checker.takeSettledFindings())
            comparison?.observe(observation)
            textComparison?.observe(observation)
        }
        guard isRead else { return nil }
        var verdict = checker.finish()
        material.mark(checker.takeSettledFindings())
        if let other {
            guard await read(other, through: otherAccess, { comparison?.observeOther($0) }) else {
                return nil
            }
            if let rows = comparison?.finish() { verdict.add(rows) }
        }
        if let text {
            textComparison?.observe(text)
            if let rows = textComparison?.finish() { verdict.add(rows) }
        }
        return material.finish(verdict)
    }

    /// Reads an input to its end; false where nothing of it could be read, or the user asked to stop.
    private func read(
        _ reader: ProgrammeReader, through access: InputAccess, _ take: (SegmentObservation) -> Void
    ) async -> Bool {
        let bar = ProgressBar(reader.programme.source, on: context.console)
        var done = 0
        var readCount = 0
        while !Interruption.shared.isRequested, let reading = await reader.readNext() {
            access.report(reading)
            if case .read = reading.outcome { readCount += 1 }
            if let observation = reading.observation { take(observation) }
            done += 1
            bar.show(done, of: reader.segmentCount, "segments")
        }
        bar.end()
        return readCount > 0 && !Interruption.shared.isRequested
    }
}
