import Testing

@testable import HLSInput
@testable import HLSPlaylist
@testable import StreamMonitor

/// Keys and initialization segments that are late, whose requests share two a second with all other retries.
@Suite(.timeLimit(.minutes(30))) struct SegmentQueueKeyTests {
    enum Resource: CaseIterable { case key, initialization }

    /// A channel that lists a segment every target duration, with a resource for every four segments.
    struct Channel {
        let resource: Resource
        /// The seconds that each resource is missing after it is first listed, by its index.
        let missing: [Int]

        static let target = 2
        private static let windowCount = 8
        private static let span = 4
        private static let retryInterval = Duration.milliseconds(500)

        private var queue = SegmentQueue()
        private var time = Duration.zero
        private var newest = -1
        private var freeTime = Duration.zero
        private var lastRetry: [Int: Duration] = [:]
        private(set) var readTimes: [Int: Duration] = [:]
        /// The largest number of retries within a second.
        private(set) var largestRate = 0
        private var retries: [Duration] = []

        init(_ resource: Resource, missing: [Int]) {
            self.resource = resource
            self.missing = missing
        }

        /// The earliest time at which a segment can be read.
        func availableTime(of number: Int) -> Duration {
            let first = max(0, number / Self.span * Self.span - Self.windowCount + 1)
            let index = number / Self.span
            let listed = Duration.seconds(max(0, number - Self.windowCount + 1) * Self.target)
            guard index < missing.count else { return listed }
            return max(listed, .seconds(first * Self.target + missing[index]))
        }

        /// The time at which a segment leaves the playlist.
        func endTime(of number: Int) -> Duration { .seconds((number + 1) * Self.target) }

        private func segment(_ number: Int) -> LiveSegment {
            let name = "\(number / Self.span).bin"
            return switch resource {
            case .key:
                SegmentQueueTests.segment(
                    number, target: Self.target, key: EncryptionKey(method: .aes128, uri: name))
            case .initialization:
                SegmentQueueTests.segment(number, target: Self.target, map: InitializationSection(uri: name))
            }
        }

        mutating func follow(for seconds: Int) {
            while time < .seconds(seconds) {
                if newest < 0 || time == .seconds(Self.target) * (newest + 2 - Self.windowCount) { load() }
                readDue()
                time += .milliseconds(250)
            }
        }

        private mutating func load() {
            let first = newest + 1
            newest = Self.windowCount - 1 + Int(time / .seconds(Self.target))
            let listed = max(0, newest - Self.windowCount + 1)...newest
            var update = PlaylistUpdate(reloadDelay: .seconds(Self.target))
            update.listed = listed
            var load = LivePlaylistLoad(update: update, duration: .zero)
            if let awaited = queue.awaited { load.awaited = listed.filter(awaited.contains).map(segment) }
            queue.observe(load, at: time)
            queue.append((max(first, listed.lowerBound)...newest).map(segment), reservedBy: nil, at: time)
        }

        private mutating func readDue() {
            while let step = queue.next(at: time) {
                if step.isLimited {
                    if freeTime > time {
                        queue.postpone(step.id, until: freeTime)
                        continue
                    }
                    freeTime = time + Self.retryInterval
                    retries.append(time)
                    largestRate = max(largestRate, retries.count { time - $0 < .seconds(1) })
                }
                let number = step.segment.mediaSequence
                var live = SegmentQueueTests.reading(.read(seconds: Double(Self.target)))
                if time < availableTime(of: number) {
                    let id = resource == .key ? step.segment.keyID : step.segment.initializationID
                    live = SegmentQueueTests.reading(.missing, lacking: id)
                }
                var kept: LiveSegmentReading?
                var isRead = false
                if case .pass(let earlier) = step.kind {
                    queue.pass(step.id)
                    kept = earlier
                } else {
                    let isComplete = queue.isComplete(live, of: step)
                    kept = queue.record(live, of: step, isComplete: isComplete, at: time)
                    // Once a segment is given up, the others are read without their initialization segment.
                    isRead = isComplete
                }
                guard let kept else { continue }
                if isRead { readTimes[number] = time }
                queue.complete(step.id, with: ReadSegment(step, kept), at: time)
                _ = queue.takeResults(at: time)
            }
            _ = queue.takeResults(at: time)
        }
    }

    /// The delays of up to three successive resources, from none to longer than they are listed.
    static let delays = [0, 1, 3, 7, 11, 15, 40]

    /// A segment is read within a target duration after its key arrives, also while others are missing.
    ///
    /// A segment whose initialization segment arrives was requested before, so that it takes one of two requests a
    /// second.
    @Test(arguments: Resource.allCases, delays)
    func segmentsOfALateResource_areReadSoonAfterItArrives(resource: Resource, first: Int) throws {
        for second in Self.delays {
            for third in Self.delays {
                var channel = Channel(resource, missing: [first, second, third])
                channel.follow(for: 60)
                #expect(channel.largestRate <= 2)
                for number in 0..<24 {
                    let available = channel.availableTime(of: number)
                    let limit = available + .seconds(Channel.target) * (resource == .key ? 1 : 2)
                    guard limit <= channel.endTime(of: number) else { continue }
                    let time = channel.readTimes[number]
                    #expect(
                        time.map { $0 <= limit } ?? false,
                        "\(number): \(first) \(second) \(third) \(available)")
                }
            }
        }
    }
}
