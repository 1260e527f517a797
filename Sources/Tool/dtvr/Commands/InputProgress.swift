import HLSInput
import ID3v2
import TextForms

/// Shows the reading progress of one input, and lists unreadable segments at its end.
struct InputProgress {
    private let console: Console
    private let bar: ProgressBar
    private let isStream: Bool
    private let segmentCount: Int
    private var doneCount = 0
    /// The bytes and tags of a stream.
    private var byteCount: UInt64 = 0
    private var tagCount = 0
    /// Shows the bytes of a single segment while it is read.
    private let watch: Task<Void, Never>?
    /// The number of segments that were read completely.
    private(set) var readCount = 0
    /// The number of segments that could not be read completely.
    private(set) var failedCount = 0
    private var problems = SegmentProblems()

    /// Creates the progress of an input before its first segment.
    ///
    /// - Parameter whole: The progress of all inputs; nil if there is only this one.
    init(_ readings: SegmentReadings, on console: Console, partOf whole: ProgressBar? = nil) {
        self.console = console
        let bar = ProgressBar(readings.outline.source, on: console, partOf: whole)
        self.bar = bar
        isStream = readings.isStream
        segmentCount = readings.presentation.segmentCount
        watch = console.showsProgress && segmentCount == 1 && !isStream ? Self.watch(readings, bar) : nil
    }

    /// The interval at which the bytes of a single segment are shown.
    private static let interval = Duration.milliseconds(200)

    private static func watch(_ readings: SegmentReadings, _ bar: ProgressBar) -> Task<Void, Never> {
        let start = readings.readByteCount
        let total = readings.onlySegmentByteCount
        return Task {
            while !Task.isCancelled {
                do {
                    try await Task.sleep(for: interval)
                } catch {
                    return
                }
                bar.showBytes(readings.readByteCount - start, of: total)
            }
        }
    }

    /// Counts a segment, or a part of a stream.
    mutating func add(_ reading: SegmentReading) {
        problems.add(reading)
        if case .read(let count, _) = reading.outcome {
            readCount += 1
            byteCount &+= count
        } else if case .failed = reading.outcome {
            failedCount += 1
        }
        doneCount += 1
        tagCount += reading.tags.count
        if isStream {
            let tags = DecimalText.count(tagCount, "tag")
            bar.showCount("\(ByteCountText.text(Int(clamping: byteCount))), \(tags)")
        } else if segmentCount > 1 {
            bar.show(doneCount, of: segmentCount, "segments")
        }
    }

    /// Removes the bar and prints the problems.
    func end() {
        watch?.cancel()
        bar.end()
        for line in problems.lines { console.note(line) }
    }
}

/// The unreadable segments of an input, grouped by problem.
struct SegmentProblems {
    private struct Group {
        let reason: String
        /// The affected segments, or the key that several segments need, without duplicates.
        var subjects: [String]
        /// The place in the first segment, such as its byte; nil for all of it.
        let place: String?
        /// The number of other places in the first segment, to follow the reason.
        let detail: String
        var count = 1
    }

    /// The maximum number of segments to name per group.
    private static let namedCount = 2

    private var groups: [Group] = []
    private var places: [String: Int] = [:]

    /// One line per problem, in order of first occurrence.
    var lines: [String] { groups.map(Self.line) }

    /// Records the problem of a segment, if it has one.
    mutating func add(_ reading: SegmentReading) {
        switch reading.outcome {
        // The user caused the cancellation, so it needs no report.
        case .failed(.cancelled), .playlist: break
        case .failed(let error): add(error.subject, error.reason)
        case .gap: add(reading.name, "is marked as a gap in its playlist")
        case .read(_, let facts):
            if let error = reading.missingInitialization { add(error.subject, error.reason) }
            guard let malformed = facts.malformed.first.first else { return }
            let others =
                facts.malformed.count > 1
                ? ", and \(DecimalText.count(facts.malformed.count - 1, "more place"))" : ""
            add(reading.name, malformed.rule, at: "at byte \(malformed.offset)", others)
        }
    }

    /// Groups segments by reason; `detail` is shown only for a segment that is alone in its group.
    private mutating func add(
        _ subject: String, _ reason: String, at place: String? = nil, _ detail: String = ""
    ) {
        guard let place = places[reason] else {
            places[reason] = groups.count
            groups.append(Group(reason: reason, subjects: [subject], place: place, detail: detail))
            return
        }
        groups[place].count += 1
        if groups[place].subjects.last != subject { groups[place].subjects.append(subject) }
    }

    private static func line(_ group: Group) -> String {
        let first = group.subjects[0]
        if group.count == 1 {
            let place = group.place.map { "\($0): " } ?? ""
            return "\(first): \(place)\(group.reason)\(group.detail)"
        }
        if group.subjects.count == 1 { return "\(group.count) segments: \(first): \(group.reason)" }
        let named = group.subjects.prefix(namedCount).joined(separator: ", ")
        let rest = group.subjects.count - namedCount
        let more = rest > 0 ? " and \(rest) more" : ""
        return "\(group.count) segments: \(group.reason): \(named)\(more)"
    }
}
