import CStorePeers
import Foundation
import TagStore

/// The store compared with its components, in alternating rounds.
///
/// The peers are an append with fdatasync, which shows the limit of the disk, and a prepared SQLite statement in C with
/// the same pragmas, columns and body size.
///
/// `sqlite` never reuses row numbers, like the store: it uses AUTOINCREMENT. `sqlite (without AUTOINCREMENT)` may reuse
/// those of deleted rows. `store` is `append`, awaited by a task.
///
/// All use the disk of the temporary directory; `TMPDIR` selects another. Every figure is the elapsed time for one tag
/// in nanoseconds, unless its name says otherwise.
enum StoreBenchmarks {
    static let rounds = 7
    /// The approximate size of a compressed body; the peers write this many bytes without compression.
    static let storedByteCount = 184
    /// The size of a row's other fields.
    static let fieldByteCount = 56

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func group(of size: Int, commits: Int) -> BenchmarkGroup {
        BenchmarkGroup(name: "store-\(size)", reference: "sqlite") {
            try entries(size: size, commits: commits)
        }
    }

    static let whole = BenchmarkGroup(name: "store", reference: "drain-500") { try wholeEntries() }

    // MARK: Appending

    private static func entries(size: Int, commits: Int) throws -> [Entry] {
        let directory = try temporaryDirectory()
        defer { remove(directory) }
        var samples: [String: [Double]] = [:]
        let count = Double(size * commits)
        var bodies = Bodies()
        let order = ["append+fdatasync", "sqlite", "sqlite (without AUTOINCREMENT)", "store"]
        for round in 0..<rounds {
            // Each round starts with another entry, to vary their order.
            for index in order.indices {
                let name = order[(index + round) % order.count]
                let nanoseconds: Double
                switch name {
                case "append+fdatasync":
                    nanoseconds = try peer(
                        unsafe dtvr_peer_append(
                            directory + "/peer.log", Int32(storedByteCount + fieldByteCount), Int32(size),
                            Int32(commits)))
                case "sqlite", "sqlite (without AUTOINCREMENT)":
                    nanoseconds = try peer(
                        unsafe dtvr_peer_sqlite(
                            directory + "/peer.sqlite", name == "sqlite" ? 1 : 0, Int32(storedByteCount),
                            Int32(size), Int32(commits)))
                default:
                    let groups = (0..<commits).map { _ in bodies.list(size) }
                    let path = directory + "/\(name)-\(round)"
                    let (elapsed, processor) = try waitFor { try await append(groups, to: path) }
                    nanoseconds = elapsed
                    samples[name + ", processor time", default: []].append(processor / count)
                }
                samples[name, default: []].append(nanoseconds / count)
            }
        }
        return (order + ["store, processor time"]).compactMap { name in
            samples[name].map { .reported(name: name, nanoseconds: $0, byteCount: nil) }
        }
    }

    /// Appends the bodies of each group, and returns the elapsed time and the processor time in nanoseconds.
    ///
    /// They include generating the random ids, which is part of accepting a tag.
    private static func append(_ groups: [[[UInt8]]], to path: String) async throws -> (Double, Double) {
        let store = try await TagBuffer.open(directory: path)
        let processor = processorNanoseconds()
        let elapsed = try await measure {
            for bodies in groups { try await store.append(tags(bodies)) }
        }
        let used = processorNanoseconds() - processor
        await store.close()
        return (elapsed, used)
    }

    private static func tags(_ bodies: [[UInt8]]) -> [NewTag] {
        zip(TagID.random(count: bodies.count), bodies).map { NewTag(id: $0, body: $1) }
    }

    // MARK: A store at its size limit

    private static func wholeEntries() throws -> [Entry] {
        let directory = try temporaryDirectory()
        defer { remove(directory) }
        var bodies = Bodies()
        let step = 500
        let filling = (0..<300).map { _ in tags(bodies.list(step)) }
        let evicting = (0..<60).map { _ in tags(bodies.list(step)) }
        let path = directory + "/store"
        let samples = try waitFor {
            var store = try await TagBuffer.open(directory: path)
            var plain: [Double] = []
            for tags in filling where store.losses().evicted == 0 {
                plain.append(try await measure { try await store.append(tags) })
            }
            var evictions: [Double] = []
            for tags in evicting {
                let before = store.losses().evicted
                let elapsed = try await measure { try await store.append(tags) }
                if store.losses().evicted > before { evictions.append(elapsed) }
            }
            await store.close()
            var openings: [Double] = []
            for _ in 0..<rounds {
                var opened: TagBuffer?
                openings.append(try await measure { opened = try await TagBuffer.open(directory: path) })
                await opened?.close()
            }
            store = try await TagBuffer.open(directory: path)
            var reads: [Double] = []
            var drains: [Double] = []
            for _ in 0..<100 {
                var batch: [StoredTag] = []
                let read = try await measure {
                    batch = try await store.nextBatch(maximumCount: step, maximumByteCount: .max)
                }
                let acknowledged = try await measure {
                    try await store.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
                }
                reads.append(read / Double(step))
                drains.append((read + acknowledged) / Double(step))
            }
            await store.close()
            let samples: [(String, [Double])] = [
                ("drain-500", drains),
                ("drain-500 (reading alone)", reads),
                ("append-500 (the whole append)", plain),
                ("append-500 that evicts 500 (the whole append)", evictions),
                ("open at the bound (the whole opening)", openings),
            ]
            return samples
        }
        return samples.map { .reported(name: $0.0, nanoseconds: $0.1, byteCount: nil) }
    }

    // MARK: Tools

    /// Bodies with realistic length and compression ratio: half of their characters are in the dictionary.
    private struct Bodies {
        private var state: UInt64 = 1

        mutating func list(_ count: Int) -> [[UInt8]] { (0..<count).map { _ in body() } }

        private mutating func body() -> [UInt8] {
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
            func random(_ count: Int) -> String {
                let bytes = (0..<count).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return letters[Int(state >> 58)]
                }
                return String(decoding: bytes, as: UTF8.self)
            }
            let blob = random(110) + "X100zdCIGeIlgZnkYj6UvV9dNM3QiBniJYGZ5GI-lL1fXTTN0IgZ4iWB" + "="
            return Array(
                """
                \u{1}\u{1F}https://cdn.example.net/hls/channel7/master.m3u8 segment_\(state >> 40).ts v1/index.m3u8 \
                www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/\(random(22))==/\(blob)/00000/21778/00
                """.utf8)
        }
    }

    private static func temporaryDirectory() throws -> String {
        let path = NSTemporaryDirectory() + "dtvr-benchmark-\(TagID.random().text)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func remove(_ directory: String) {
        // A leftover in the temporary directory is harmless.
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func peer(_ nanoseconds: Int64) throws -> Double {
        guard nanoseconds >= 0 else { throw Failure(description: "a peer of the store failed") }
        return Double(nanoseconds)
    }

    private static func measure(_ body: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await body()
        return nanoseconds(of: clock.now - start)
    }

    private static func nanoseconds(of duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
    }

    private static func processorNanoseconds() -> Double {
        var time = timespec()
        // Writes only to its argument.
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
