import Foundation
import HostSystem
import PlayerSession
import Synchronization
import TagStore

/// A player's calls from ten threads at once, while the disk takes what they bring.
///
/// Each thread hands over a tag, then a playhead, and rests for a millisecond, so that what is measured is the call and
/// not the queue for two processors. Every figure is nanoseconds of elapsed time for one call; the disk is that of the
/// temporary directory.
enum SessionBenchmarks {
    private static let rounds = 5
    private static let threadCount = 10
    private static let callCount = 1_000

    static let calls = BenchmarkGroup(name: "session", reference: "sendID3, half of the calls") {
        try entries()
    }

    private static func entries() throws -> [Entry] {
        var samples: [String: [Double]] = [:]
        let names = ["sendID3", "playheadPosition"]
        for _ in 0..<rounds {
            for (name, times) in zip(names, try round()) {
                let sorted = times.sorted()
                samples["\(name), half of the calls", default: []].append(sorted[sorted.count / 2])
                samples["\(name), 99 of 100 calls", default: []].append(sorted[sorted.count * 99 / 100])
            }
        }
        return names.flatMap { ["\($0), half of the calls", "\($0), 99 of 100 calls"] }.compactMap { name in
            samples[name].map { .reported(name: name, nanoseconds: $0, byteCount: nil) }
        }
    }

    /// How long each `sendID3` and each `playheadPosition` took, in a folder of its own.
    private static func round() throws -> [[Double]] {
        let path = NSTemporaryDirectory() + "dtvr-session-\(TagID.random().text)"
        defer {
            // Left over in the temporary directory it does no harm.
            try? FileManager.default.removeItem(atPath: path)
        }
        let session = MeasurementSession(appInfo: ["appid": "T0"], options: SessionOptions(directory: path))
        session.play(["channelName": "One"])
        _ = try waitFor { await session.settle() }
        let all = SharedTimes()
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<threadCount {
            try HostThread.start(name: "caller") {
                all.add(calls(of: thread, to: session))
                done.signal()
            }
        }
        for _ in 0..<threadCount { done.wait() }
        _ = try waitFor { await session.finish() }
        return all.times
    }

    private static func calls(of thread: Int, to session: MeasurementSession) -> [[Double]] {
        var tags: [Double] = []
        var playheads: [Double] = []
        let clock = ContinuousClock()
        for number in 0..<callCount {
            let tag = Array(
                ("www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/\(thread)/\(number)/"
                    + String(repeating: "x", count: 180)).utf8)
            tags.append(nanoseconds(clock.measure { session.sendID3(tag) }))
            playheads.append(nanoseconds(clock.measure { session.playheadPosition(Double(number)) }))
            usleep(1_000)
        }
        return [tags, playheads]
    }

    private static func nanoseconds(_ duration: Duration) -> Double { duration / .nanoseconds(1) }

    /// The times of all threads.
    private final class SharedTimes: Sendable {
        private let state = Mutex<[[Double]]>([[], []])

        var times: [[Double]] { state.withLock { $0 } }

        func add(_ more: [[Double]]) {
            state.withLock { times in for index in times.indices { times[index] += more[index] } }
        }
    }
}
