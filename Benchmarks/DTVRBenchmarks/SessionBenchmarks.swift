import Foundation
import HostSystem
import PlayerSession
import Synchronization
import TagStore

/// Session calls from ten threads at once, with and without writes to the disk.
///
/// Each thread sends a tag, then a playhead, and pauses for a millisecond, to measure the call and not the contention
/// for the processors. The playheads are those of a live stream, Unix time in whole seconds, which all threads have in
/// common: playback that goes back has findings, and ends the series of a repeated tag. Every figure is the elapsed
/// time of one call in nanoseconds. The disk is that of the temporary directory. The time until a tag is on the disk is
/// measured separately, because waiting makes the calls less frequent.
enum SessionBenchmarks {
    private static let rounds = 5
    private static let threadCount = 10
    private static let callCount = 1_000
    private static let durableCallCount = 100

    static let calls = BenchmarkGroup(name: "session", reference: "sendID3, half of the calls") {
        try entries()
    }

    private static func entries() throws -> [Entry] {
        var samples: [String: [Double]] = [:]
        let names = [
            "sendID3", "playheadPosition", "sendID3 of a repeat, nothing is written",
            "playheadPosition, nothing is written", "sendID3 until it is on the disk",
        ]
        for _ in 0..<rounds {
            let times =
                try round { thread, session in measured(session) { tag(thread, $0) } }
                + (try round { _, session in measured(session) { _ in tag(0, 0) } })
                + (try round { try durableCalls(of: $0, to: $1) })
            for (name, times) in zip(names, times) {
                let sorted = times.sorted()
                samples["\(name), half of the calls", default: []].append(sorted[sorted.count / 2])
                samples["\(name), 99 of 100 calls", default: []].append(sorted[sorted.count * 99 / 100])
            }
        }
        return names.flatMap { ["\($0), half of the calls", "\($0), 99 of 100 calls"] }.compactMap { name in
            samples[name].map { .reported(name: name, nanoseconds: $0, byteCount: nil) }
        }
    }

    /// Runs the work on each thread, with a session in a new folder, and returns the times by kind of call.
    private static func round(
        _ work: @escaping @Sendable (_ thread: Int, MeasurementSession) throws -> [[Double]]
    ) throws -> [[Double]] {
        let path = NSTemporaryDirectory() + "dtvr-session-\(TagID.random().text)"
        defer {
            // A leftover in the temporary directory is harmless.
            try? FileManager.default.removeItem(atPath: path)
        }
        let session = MeasurementSession(appInfo: ["appid": "T0"], options: SessionOptions(directory: path))
        session.play(["channelName": "One"])
        _ = try waitFor { await session.flush() }
        let all = SharedTimes()
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<threadCount {
            try HostThread.start(name: "caller") {
                do {
                    all.add(try work(thread, session))
                } catch {
                    print("thread \(thread): \(error)")
                }
                done.signal()
            }
        }
        for _ in 0..<threadCount { done.wait() }
        _ = try waitFor { await session.finish() }
        return all.times
    }

    private static func tag(_ thread: Int, _ number: Int) -> [UInt8] {
        Array(
            ("www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/\(thread)/\(number)/"
                + String(repeating: "x", count: 180)).utf8)
    }

    /// Returns the times of the calls of `sendID3`, with the tag for each number, and of `playheadPosition`.
    private static func measured(
        _ session: MeasurementSession, handing tag: (Int) -> [UInt8]
    ) -> [[Double]] {
        var tags: [Double] = []
        var playheads: [Double] = []
        let clock = ContinuousClock()
        for number in 0..<callCount {
            let tag = tag(number)
            let playhead = Double(time(nil))
            tags.append(nanoseconds(clock.measure { session.sendID3(tag) }))
            playheads.append(nanoseconds(clock.measure { session.playheadPosition(playhead) }))
            usleep(1_000)
        }
        return [tags, playheads]
    }

    /// Returns the time from each `sendID3` until `flush` confirms that the tag is on the disk.
    private static func durableCalls(of thread: Int, to session: MeasurementSession) throws -> [[Double]] {
        let clock = ContinuousClock()
        return [
            try (0..<durableCallCount).map { number in
                let tag = tag(thread, number)
                let time = try clock.measure {
                    session.sendID3(tag)
                    _ = try waitFor { await session.flush() }
                }
                usleep(10_000)
                return nanoseconds(time)
            }
        ]
    }

    private static func nanoseconds(_ duration: Duration) -> Double { duration / .nanoseconds(1) }

    /// The times of all threads.
    private final class SharedTimes: Sendable {
        private let state = Mutex<[[Double]]>([])

        var times: [[Double]] { state.withLock { $0 } }

        func add(_ more: [[Double]]) {
            state.withLock { times in
                times = times.isEmpty ? more : zip(times, more).map { $0 + $1 }
            }
        }
    }
}
