import HTTPTransfer
import ID3v2
import NielsenID3
import Testing

@testable import HLSInput
@testable import HLSPlaylist
@testable import StreamMonitor

/// The order in which listed segments are read and judged while some are missing.
@Suite(.timeLimit(.minutes(30))) struct SegmentQueueTests {
    static let target = 6

    // MARK: A channel

    /// A channel that lists a segment of six seconds every six seconds, and its queue.
    struct Channel {
        let windowCount: Int
        /// The seconds that segments are missing after they are listed, by number.
        let missing: [Int: Int]
        /// The difference between the stated duration of every segment and that of its media, in seconds.
        var shortfall = 0.0
        /// The segments that are half written when they are first requested.
        var halfWritten: Set<Int> = []

        var queue = SegmentQueue()
        private(set) var time = Duration.zero
        private var newest = -1
        /// The requests for each segment.
        private(set) var requestCounts: [Int: Int] = [:]
        /// The times at which segments were stored.
        private(set) var storeTimes: [Int: Duration] = [:]
        /// The numbers of the segments that were read, in the order in which they were stored.
        private(set) var stored: [Int] = []
        private(set) var results: [ReadSegment] = []
        private var givenUpNumbers: Set<Int> = []
        private(set) var failures: [Int] = []
        private(set) var positions: [Int] = []

        init(windowCount: Int, missing: [Int: Int] = [:]) {
            self.windowCount = windowCount
            self.missing = missing
        }

        var listed: ClosedRange<Int> { max(0, newest - windowCount + 1)...max(0, newest) }

        /// The numbers of the segments that were judged in order.
        var judged: [Int] { results.filter { !$0.isOutOfOrder }.map(\.number) }
        var late: [Int] { results.filter { $0.delay != nil }.map(\.number) }
        var givenUp: [Int] { results.filter { $0.live.failure != nil }.map(\.number) }

        func listTime(of number: Int) -> Duration {
            .seconds(max(0, number - windowCount + 1) * SegmentQueueTests.target)
        }

        private func isMissing(_ number: Int) -> Bool {
            missing[number].map { time < listTime(of: number) + .seconds($0) } ?? false
        }

        /// Follows the channel for some seconds; the playlist is loaded every six seconds.
        mutating func follow(for seconds: Int) {
            for _ in 0..<seconds * 2 {
                if time == .seconds(SegmentQueueTests.target) * (newest + 2 - windowCount) || newest < 0 {
                    load()
                }
                readDue()
                time += .milliseconds(500)
            }
        }

        mutating func load() {
            let first = newest + 1
            newest = windowCount - 1 + Int(time / .seconds(SegmentQueueTests.target))
            var update = PlaylistUpdate(reloadDelay: .seconds(SegmentQueueTests.target))
            update.listed = listed
            var load = LivePlaylistLoad(update: update, duration: .zero)
            if let awaited = queue.awaited {
                load.awaited = listed.filter(awaited.contains).map { SegmentQueueTests.segment($0) }
            }
            queue.observe(load, at: time)
            let new = (max(first, listed.lowerBound)...newest).map { SegmentQueueTests.segment($0) }
            queue.append(new, reservedBy: nil, at: time)
        }

        mutating func readDue() {
            while let step = queue.next(at: time) {
                switch step.kind {
                case .read, .readLate: read(step)
                case .pass(let live):
                    queue.pass(step.id)
                    store(live, step)
                }
                judge()
            }
            failures += queue.takeFailures(at: time).map(\.segment.mediaSequence)
            judge()
        }

        private mutating func judge() {
            let new = queue.takeResults(at: time)
            for result in new where result.live.failure != nil { givenUpNumbers.insert(result.number) }
            results += new
        }

        private mutating func read(_ step: SegmentQueue.Step) {
            let number = step.segment.mediaSequence
            requestCounts[number, default: 0] += 1
            let outcome: Outcome =
                if isMissing(number) {
                    .missing
                } else if halfWritten.contains(number),
                    requestCounts[number] == 1
                {
                    .truncated
                } else { .read(seconds: Double(SegmentQueueTests.target) - shortfall) }
            let live = SegmentQueueTests.reading(outcome)
            let isComplete = queue.isComplete(live, of: step)
            if let kept = queue.record(live, of: step, isComplete: isComplete, at: time) {
                if kept.failure == nil { stored.append(number) }
                store(kept, step)
            }
        }

        private mutating func store(_ live: LiveSegmentReading, _ step: SegmentQueue.Step) {
            if live.failure == nil { storeTimes[step.segment.mediaSequence] = time }
            let position = queue.position(through: step.segment)
            positions.append(position)
            // A restart now would read everything after the position again.
            let unread = listed.filter { number in
                missing[number] != nil && requestCounts[number] != nil && storeTimes[number] == nil
                    && !givenUpNumbers.contains(number)
            }
            #expect(unread.allSatisfy { $0 > position }, "\(position) passes \(unread)")
            queue.complete(step.id, with: ReadSegment(step, live), at: time)
        }
    }

    enum Outcome {
        case missing, truncated, invalid
        case read(seconds: Double)
    }

    static func segment(
        _ number: Int, target: Int = target, key: EncryptionKey? = nil, map: InitializationSection? = nil
    ) -> LiveSegment {
        LiveSegment(
            listed: MediaSegment(
                uri: "\(number).ts", duration: Double(target), mediaSequence: number,
                keys: key.map { [$0] } ?? [], map: map),
            isContinuation: true, isLast: false, playlistAddress: "http://127.0.0.1/", policy: .any,
            targetSeconds: target, secrets: InputSecrets())
    }

    static func reading(
        _ outcome: Outcome, lacking resource: LiveSegment.ResourceID? = nil
    ) -> LiveSegmentReading {
        var facts = CarriageFacts()
        facts.container = .transportStream(packetSize: 188)
        var count: UInt64 = 1_000
        var result = SegmentReading.Outcome.gap
        switch outcome {
        case .missing:
            count = 0
            result = .failed(.transfer("x", reason: "the server answered 404", isRetriable: false))
        case .invalid: result = .failed(.encrypted("x", method: "SAMPLE-AES"))
        case .truncated:
            facts.isTruncated = true
            count = 500
            result = .read(byteCount: count, facts: facts)
        case .read(let seconds):
            facts.earliestMediaTime = MediaTimestamp(pts: 90_000)
            facts.latestMediaTime = MediaTimestamp(pts: 90_000 + UInt64(seconds * 90_000))
            result = .read(byteCount: count, facts: facts)
        }
        return LiveSegmentReading(
            reading: SegmentReading(
                source: "", name: "", outcome: result,
                observation: SegmentObservation(rendition: .first, segment: nil, tags: [])),
            duration: .zero, byteCount: count, missingResource: resource,
            checkpoint: SegmentReader.Checkpoint())
    }

    // MARK: Order

    /// The sets of missing segments: one at the start, at the edge of the first window or later, or several.
    static let patterns: [[Int]] = [
        [0], [1], [2], [5], [7], [8, 9], [0, 1], [7, 9], [2, 5, 8], [7, 8, 9, 10, 11],
    ]

    /// The newest minute of a playlist that is not read is there when it is needed.
    @Test func skippedSegments_areThoseOfTheLastMinute_withoutAContinuationInFront() {
        let count = 60 / Self.target
        var skipped = SkippedSegments()
        skipped.append((0..<count).map { Self.segment($0) }, reservedBy: nil)
        #expect(
            skipped.take().flatMap(\.segments).map(\.isContinuation) == Array(repeating: true, count: count))
        skipped.append((0..<count + 1).map { Self.segment($0) }, reservedBy: nil)
        let segments = skipped.take().flatMap(\.segments)
        #expect(segments.map(\.mediaSequence) == Array(1...count))
        #expect(segments.map(\.isContinuation) == [false] + Array(repeating: true, count: count - 1))
    }

    @Test(arguments: [3, 6, 12], patterns)
    func segments_areJudgedOnceAndInOrder(windowCount: Int, pattern: [Int]) {
        for seconds in [1, 3, 5, 7, 13, 20, 40, 100, 100_000] {
            var channel = Channel(
                windowCount: windowCount,
                missing: Dictionary(uniqueKeysWithValues: pattern.map { ($0, seconds) }))
            channel.follow(for: 300)
            let label = "\(seconds) s"
            let last = windowCount - 1 + 49
            #expect(channel.judged == Array(0...last), "\(label)")
            #expect(Set(channel.stored).count == channel.stored.count, "\(label): stored twice")
            let lost = Set(0...last).subtracting(channel.stored)
            // A segment is listed for as long as the window, and the playlist is loaded every six seconds.
            let isLost = seconds > windowCount * Self.target + Self.target
            let isSafe = seconds < (windowCount - 1) * Self.target
            if isSafe, pattern.allSatisfy({ $0 >= windowCount - 1 }) {
                #expect(lost.isEmpty, "\(label) \(lost)")
            }
            #expect(lost.isSubset(of: pattern), "\(label) \(lost)")
            if isLost { #expect(!lost.isEmpty, "\(label)") }
            if seconds < Self.target { #expect(channel.late.isEmpty, "\(label) \(channel.late)") }
            #expect(channel.late.allSatisfy(pattern.contains) && Set(channel.late).isDisjoint(with: lost))
            #expect(channel.requestCounts.values.max() ?? 0 <= 24, "\(label) \(channel.requestCounts)")
            // The others wait for at most a target duration each, and never for each other.
            for number in windowCount...last where !pattern.contains(number) {
                let delay = (channel.storeTimes[number] ?? .zero) - channel.listTime(of: number)
                #expect(delay <= .seconds(Self.target), "\(label): \(number) after \(delay)")
            }
            #expect(channel.queue.isEmpty && channel.queue.awaited == nil, "\(label)")
        }
    }

    @Test func segment_missingForLessThanATargetDuration_isReadBeforeTheFollowing() {
        var channel = Channel(windowCount: 6, missing: [7: 4])
        channel.follow(for: 60)
        #expect(channel.stored == Array(0...14) && channel.late.isEmpty && channel.failures.isEmpty)
        #expect(channel.requestCounts[7].map { (2...5).contains($0) } == true)
    }

    @Test func segment_missingForLonger_isReadAfterTheFollowing_andJudgedBeforeThem() {
        var channel = Channel(windowCount: 6, missing: [7: 15])
        channel.follow(for: 60)
        #expect(channel.stored != channel.stored.sorted() && channel.stored.sorted() == Array(0...14))
        #expect(channel.judged == Array(0...14) && channel.late == [7])
        let delay = channel.results.compactMap(\.delay)[0]
        #expect(delay >= .seconds(15) && delay <= .seconds(21))
        let after = channel.results.first { $0.number == 8 }
        #expect(after.map { $0.age > .seconds(2) } == true, "its tags were due when it was read")
    }

    // MARK: Failures

    @Test func oneMissingSegment_isNoFailureBeforeItIsGivenUp() {
        var channel = Channel(windowCount: 6, missing: [7: 100_000])
        channel.follow(for: 120)
        #expect(channel.failures.isEmpty && channel.givenUp == [7])
        #expect(channel.results.filter(\.isFailureReported).isEmpty)
    }

    @Test func missingSegmentsInARow_areFailuresAfterATargetDuration_once() {
        var channel = Channel(windowCount: 6, missing: [7: 100_000, 8: 100_000, 9: 100_000])
        channel.follow(for: 40)
        #expect(channel.failures == [7, 8, 9])
        channel.follow(for: 120)
        #expect(channel.failures == [7, 8, 9] && channel.givenUp == [7, 8, 9])
        #expect(channel.results.filter(\.isFailureReported).map(\.number) == [7, 8, 9])
    }

    @Test func missingSegments_apart_areNotFailuresBeforeTheyAreGivenUp() {
        var channel = Channel(windowCount: 6, missing: [7: 100_000, 9: 100_000])
        channel.follow(for: 120)
        #expect(channel.failures.isEmpty && channel.givenUp == [7, 9])
    }

    @Test func invalidSegment_isNotReadAgain() {
        var queue = SegmentQueue()
        queue.append([Self.segment(1)], reservedBy: nil, at: .zero)
        guard let step = queue.next(at: .zero) else {
            Issue.record("no step")
            return
        }
        let live = Self.reading(.invalid)
        #expect(queue.isComplete(live, of: step))
        #expect(queue.record(live, of: step, isComplete: true, at: .zero) != nil)
        queue.complete(step.id, with: ReadSegment(step, live), at: .zero)
        #expect(queue.takeResults(at: .zero).count == 1 && queue.isEmpty)
    }

    // MARK: Stragglers and bounds

    /// A long window lists a segment for longer than the later ones wait for it.
    @Test func segment_missingForMoreThanAMinute_inALongWindow_isReportedLate_withoutHoldingOthersUp() {
        var channel = Channel(windowCount: 40, missing: [41: 150])
        channel.follow(for: 300)
        #expect(channel.judged == Array(0...88) && channel.givenUp == [41])
        #expect(channel.stored.contains(41) && channel.late == [41])
        #expect(channel.results.last { $0.number == 41 }?.isOutOfOrder == true)
        #expect(channel.results.allSatisfy { $0.age <= .seconds(72) })
        // One request for each target duration.
        #expect(channel.requestCounts[41].map { $0 <= 40 } == true, "\(channel.requestCounts[41] ?? 0)")
        // A late segment does not move the position of a restart back.
        #expect(channel.positions.last == 88)
    }

    /// All segments of a long window are missing: neither the queue nor the requests grow without bound.
    @Test func manyMissingSegments_areBounded() {
        let missing = Dictionary(uniqueKeysWithValues: (0..<400).map { ($0, 100_000) })
        var channel = Channel(windowCount: 300, missing: missing)
        channel.follow(for: 600)
        #expect(channel.judged.count >= 380 && channel.judged == channel.judged.sorted())
        #expect(Set(channel.judged).count == channel.judged.count)
        let counts = channel.requestCounts.values.reduce(0, +)
        #expect(counts <= 400 * 24, "\(counts)")
    }

    // MARK: Incomplete segments

    @Test func halfWrittenSegment_isReadAgainOnce() {
        var channel = Channel(windowCount: 6)
        channel.halfWritten = [3, 7]
        channel.follow(for: 60)
        #expect(channel.stored == Array(0...14) && channel.judged == Array(0...14))
        #expect(channel.requestCounts.filter { $0.value > 1 } == [3: 2, 7: 2])
        #expect(channel.late.isEmpty && channel.givenUp.isEmpty)
        #expect(channel.results.allSatisfy { $0.live.byteCount == 1_000 })
    }

    /// Segments that are always shorter than stated are not incomplete.
    @Test(arguments: [0.3, 1, 3, 5.5])
    func segments_thatAreAlwaysShort_areNotLoadedTwiceForEver(shortfall: Double) {
        var channel = Channel(windowCount: 6)
        channel.shortfall = shortfall
        channel.follow(for: 300)
        #expect(channel.judged == Array(0...54) && channel.late.isEmpty)
        #expect(channel.requestCounts.values.count { $0 > 1 } <= 2)
        #expect(channel.requestCounts.values.allSatisfy { $0 <= 2 })
    }

    /// If the segment has gone when it is requested again, it is requested while it is listed, and the first reading
    /// counts in the end.
    @Test(arguments: [false, true]) func incompleteSegment_thatDisappears_isAskedForAgainAndKept(
        returns: Bool
    ) throws {
        var queue = SegmentQueue()
        queue.append([Self.segment(1), Self.segment(2)], reservedBy: nil, at: .zero)
        let first = try Self.step(of: &queue, at: .zero)
        let half = Self.reading(.truncated)
        #expect(!queue.isComplete(half, of: first))
        #expect(queue.record(half, of: first, isComplete: false, at: .zero) == nil)
        let other = queue.next(at: .zero)
        #expect(other == nil)
        var time = Duration.zero
        for _ in 0..<3 {
            time = try #require(queue.nextTime)
            let again = try Self.step(of: &queue, at: time)
            guard again.isRetry else { break }
            let missing = Self.reading(.missing)
            #expect(!queue.isComplete(missing, of: again))
            #expect(queue.record(missing, of: again, isComplete: false, at: time) == nil)
        }
        let pass = try Self.step(of: &queue, at: time)
        guard case .pass(let kept) = pass.kind else {
            Issue.record("the segment is not passed")
            return
        }
        #expect(kept.byteCount == 500 && kept.failure == nil)
        guard returns else { return }
        queue.pass(pass.id)
        time += .seconds(60)
        let late = try Self.step(of: &queue, at: time)
        let whole = Self.reading(.read(seconds: 6))
        #expect(queue.isComplete(whole, of: late))
        #expect(queue.record(whole, of: late, isComplete: true, at: time)?.byteCount == whole.byteCount)
    }

    private static func step(of queue: inout SegmentQueue, at time: Duration) throws -> SegmentQueue.Step {
        let step = queue.next(at: time)
        return try #require(step)
    }
}

extension ReadSegment {
    /// The media sequence number.
    fileprivate var number: Int { segment.mediaSequence }

    init(_ step: SegmentQueue.Step, _ live: LiveSegmentReading) {
        self.init(
            segment: step.segment, live: live, rendition: .first, behindLive: 0,
            wallTime: WallTime(unixMilliseconds: 0))
    }
}
