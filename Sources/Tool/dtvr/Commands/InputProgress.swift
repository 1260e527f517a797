import HLSInput
import TimedMedia

/// Shows how far the reading of one input has come, and says at its end what could not be read.
struct InputProgress {
    private let console: Console
    private let bar: ProgressBar
    private let segmentCount: Int
    private var doneCount = 0
    private var problems = SegmentProblems()

    /// The progress of an input of which nothing was read yet.
    init(_ readings: SegmentReadings, on console: Console) {
        self.console = console
        bar = ProgressBar(readings.presentation.source, on: console)
        segmentCount = readings.presentation.segmentCount
    }

    /// Counts a segment.
    mutating func add(_ reading: SegmentReading) {
        problems.add(reading)
        doneCount += 1
        bar.show(doneCount, of: segmentCount, "segments")
    }

    /// Ends the input.
    func end() {
        bar.end()
        for line in problems.lines { console.note(line) }
    }
}

/// What could not be read of an input: segments with the same problem together.
struct SegmentProblems {
    private struct Group {
        let reason: String
        /// What could not be read, each once: a segment, or a key that several segments need.
        var subjects: [String]
        var count = 1
    }

    /// How many segments of a group are named.
    private static let namedCount = 2

    private var groups: [Group] = []
    private var places: [String: Int] = [:]

    /// One line for each problem, in the order in which they came.
    var lines: [String] { groups.map(Self.line) }

    /// Notes what is wrong with a segment, if anything is.
    mutating func add(_ reading: SegmentReading) {
        switch reading.outcome {
        // Whoever stopped the reading knows that.
        case .failed(.cancelled), .playlist: break
        case .failed(let error): add(error.subject, error.reason)
        case .gap: add(reading.name, "is a gap, as its playlist says")
        case .read(_, let facts):
            guard let malformed = facts.malformed.first.first else { return }
            let others = facts.malformed.count > 1 ? ", and \(facts.malformed.count - 1) more places" : ""
            add(reading.name, "at byte \(malformed.offset): \(malformed.rule)\(others)")
        }
    }

    private mutating func add(_ subject: String, _ reason: String) {
        guard let place = places[reason] else {
            places[reason] = groups.count
            groups.append(Group(reason: reason, subjects: [subject]))
            return
        }
        groups[place].count += 1
        if groups[place].subjects.last != subject { groups[place].subjects.append(subject) }
    }

    private static func line(_ group: Group) -> String {
        let first = group.subjects[0]
        if group.count == 1 { return "\(first): \(group.reason)" }
        if group.subjects.count == 1 { return "\(group.count) segments: \(first): \(group.reason)" }
        let named = group.subjects.prefix(namedCount).joined(separator: ", ")
        let rest = group.subjects.count - namedCount
        let more = rest > 0 ? " and \(rest) more" : ""
        return "\(group.count) segments: \(group.reason): \(named)\(more)"
    }
}
