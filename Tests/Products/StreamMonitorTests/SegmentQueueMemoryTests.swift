import HLSPlaylist
import HTTPTransfer
import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import HLSInput
@testable import StreamMonitor

/// The memory of read segments, whose tags wait for a missing segment.
@Suite(.timeLimit(.minutes(30))) struct SegmentQueueMemoryTests {
    private static let segmentCount = 40
    private static let ownerByteCount = 100_000

    /// The reason why the first segment is not complete.
    enum Cause: CaseIterable {
        /// The server never has it.
        case missing
        /// It is half written, and missing when it is requested again.
        case halfWritten
        /// Every segment is half written, and missing when it is requested again.
        case allHalfWritten
    }

    /// The first segment stays listed and incomplete, and each later one has a tag of 100 kB.
    @Test(arguments: Cause.allCases)
    func segmentsBehindAMissingOne_waitOnlyWhileTheMemoryHasRoom(cause: Cause) throws {
        let maximum = 1 << 20
        let memory = SegmentMemory(maximumByteCount: maximum)
        var queue = SegmentQueue()
        queue.append(
            (0..<Self.segmentCount).map { SegmentQueueTests.segment($0) },
            reservedBy: memory.reserve([]).reservation,
            at: .zero)
        var attempts: [Int: Int] = [:]
        var waitingCount = 0
        var judged: [Int] = []
        for second in 0..<59 {
            let time = Duration.seconds(second)
            while let step = queue.next(at: time) {
                let number = step.segment.mediaSequence
                switch step.kind {
                case .read, .readLate:
                    attempts[number, default: 0] += 1
                    let isFirst = attempts[number] == 1
                    let outcome: SegmentQueueTests.Outcome =
                        switch cause {
                        case .missing: number == 0 ? .missing : .read(seconds: 6)
                        case .halfWritten:
                            number > 0 ? .read(seconds: 6) : isFirst ? .truncated : .missing
                        case .allHalfWritten: isFirst ? .truncated : .missing
                        }
                    let live = try Self.withTag(SegmentQueueTests.reading(outcome))
                    let isComplete = queue.isComplete(live, of: step)
                    if let kept = queue.record(live, of: step, isComplete: isComplete, at: time) {
                        queue.complete(step.id, with: Self.read(kept, of: step), at: time)
                        waitingCount += 1
                    }
                case .pass(let live):
                    queue.pass(step.id)
                    queue.complete(step.id, with: Self.read(live, of: step), at: time)
                    waitingCount += 1
                }
                let results = queue.takeResults(at: time)
                waitingCount -= results.count { !$0.isOutOfOrder }
                judged += results.filter { !$0.isOutOfOrder }.map(\.segment.mediaSequence)
                // One reading that has no room is kept until the next segment is judged.
                #expect(
                    waitingCount * Self.ownerByteCount <= maximum + 2 * Self.ownerByteCount, "\(waitingCount)"
                )
            }
        }
        #expect(judged == judged.sorted() && judged.count >= 10, "\(judged)")
        // What was judged uses no memory.
        queue.removeAll()
        #expect(memory.reserve([]).reservation.reserveMore(maximum) != nil)
    }

    /// The memory of listed segments is free when all have been read and judged.
    @Test func memory_ofReadSegments_isFree() throws {
        let memory = SegmentMemory(maximumByteCount: 1 << 20)
        var queue = SegmentQueue()
        queue.append(
            [SegmentQueueTests.segment(0)], reservedBy: memory.reserve([]).reservation.reserveMore(1 << 20),
            at: .zero)
        let next = queue.next(at: .zero)
        let step = try #require(next)
        let live = SegmentQueueTests.reading(.read(seconds: 6))
        #expect(queue.record(live, of: step, isComplete: true, at: .zero) != nil)
        queue.complete(step.id, with: Self.read(live, of: step), at: .zero)
        #expect(queue.takeResults(at: .zero).count == 1 && queue.isEmpty)
        #expect(memory.reserve([]).reservation.reserveMore(1 << 20) != nil)
    }

    /// The segments of a backup that is not read, in loads of a hundred; most of them have no duration.
    @Test(arguments: [0, 0.001, 1]) func segmentsOfABackup_areLimitedInNumberAndTime(seconds: Double) {
        let memory = SegmentMemory(maximumByteCount: 32 << 20)
        var skipped = SkippedSegments()
        for load in 0..<100 {
            let listed = (0..<100).map {
                MediaSegment(uri: "\(load)-\($0).ts", duration: seconds, mediaSequence: 100 * load + $0)
            }
            let new = listed.map {
                LiveSegment(
                    listed: $0, isContinuation: true, isLast: false, playlistAddress: "http://127.0.0.1/",
                    policy: .any, targetSeconds: 6, secrets: InputSecrets())
            }
            skipped.append(new, reservedBy: memory.reserve(listed).reservation)
            skipped.append([], reservedBy: nil)
        }
        // The memory of the segments is reserved while they are kept.
        #expect(memory.reserve([]).reservation.reserveMore(32 << 20) == nil)
        let kept = skipped.take().flatMap(\.segments)
        let count = seconds == 1 ? 60 : 1_000
        #expect(kept.map(\.mediaSequence) == Array(10_000 - count..<10_000))
        #expect(kept.map(\.isContinuation) == [false] + Array(repeating: true, count: count - 1))
        #expect(memory.reserve([]).reservation.reserveMore(32 << 20) != nil)
    }

    private static func withTag(_ live: LiveSegmentReading) throws -> LiveSegmentReading {
        if live.failure != nil { return live }
        let bytes = Array("www.nielsen.com/".utf8) + [UInt8](repeating: 0x61, count: ownerByteCount)
        let read = NielsenTag(playerIdentifier: bytes.span)
        let tag = try #require(read)
        let occurrence = TagOccurrence(
            tag: tag, origin: .channel(id: "one", TagPlace(source: "http://a/", mediaSequence: 0)), time: nil,
            seconds: nil, carriage: .packedAudio, position: 0)
        var reading = live.reading
        reading.tags = [occurrence]
        reading.observation.tags = [occurrence]
        return LiveSegmentReading(
            reading: reading, duration: .zero, byteCount: live.byteCount, missingResource: nil,
            checkpoint: SegmentReader.Checkpoint())
    }

    private static func read(_ live: LiveSegmentReading, of step: SegmentQueue.Step) -> ReadSegment {
        ReadSegment(
            segment: step.segment, live: live, rendition: .first, behindLive: 0,
            wallTime: WallTime(unixMilliseconds: 0))
    }
}
