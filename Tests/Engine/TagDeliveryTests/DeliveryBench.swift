import CollectorService
import Foundation
import HTTPTransfer
import HostSystem
import Synchronization
import TagDelivery
import TagStore
import TestSupport
import Testing

extension TemporaryFolder {
    /// Returns the lines that a collector stored in a subfolder, in the order of its files.
    func collectedLines(_ name: String = "collected") throws -> String {
        let folder = path + "/" + name
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasPrefix("tags-")
        }
        return try names.sorted().map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
            .joined()
    }

    /// Returns the ids of the tags in these lines.
    func collectedIDs(_ name: String = "collected") throws -> [String] {
        try collectedLines(name).split(separator: "\n").map { String($0.dropFirst(7).prefix(32)) }
    }
}

/// A store, and the collectors and uploaders for it, on one machine.
struct DeliveryBench {
    let folder: TemporaryFolder
    /// By default, a clock that advances itself to the end of every sleep.
    let clock: ManualClock
    let store: TagBuffer
    let client: HTTPClient

    init(clock: ManualClock = ManualClock(jumps: true)) async throws {
        self.clock = clock
        folder = try TemporaryFolder()
        store = try await TagBuffer.open(
            directory: folder.path + "/store", settings: StoreSettings(), clock: clock)
        client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
    }

    static let builderLine: BatchBuilder.LineEncoder = { tag, line in
        // A body that starts with X simulates an unreadable one.
        struct Unreadable: Error {}
        guard tag.body.first != UInt8(ascii: "X") else { throw Unreadable() }
        line += Array("{\"id\":\"\(tag.id.text)\",\"owner\":\"".utf8) + tag.body + Array("\"}".utf8)
        return nil
    }

    func append(_ count: Int, body: String = "tag") async throws {
        var tags: [NewTag] = []
        for number in 0..<count { tags.append(NewTag(body: Array("\(body)\(number)".utf8))) }
        for start in stride(from: 0, to: count, by: 50) {
            try await store.append(Array(tags[start..<min(start + 50, count)]))
        }
    }

    func collector(_ faults: String, change: (inout CollectorSettings) -> Void = { _ in }) throws -> Collector
    {
        var settings = CollectorSettings(folder: folder.path + "/collected")
        for text in faults.split(separator: " ") {
            guard let fault = ScriptedFault(String(text)) else { throw BadFault(text: String(text)) }
            settings.faults.append(fault)
        }
        change(&settings)
        return try Collector(settings: settings)
    }

    struct BadFault: Error { let text: String }

    func uploader(to url: String, token: String? = nil, client: HTTPClient? = nil) -> Uploader {
        let sink = HTTPTagSink(
            url: url, client: client ?? self.client, bearerToken: token, timeLimits: .init(), clock: clock)
        return uploader(to: sink)
    }

    func uploader(to sink: any TagSink) -> Uploader {
        Uploader(
            buffer: store, sink: sink,
            builder: BatchBuilder(store: store.id, version: "dtvr/0.0-test", encodeLine: Self.builderLine),
            clock: clock)
    }
}

extension DeliveryBench {
    /// Returns a batch of the pending tags, as an uploader would send it.
    func batch() async throws -> TagBatch {
        let builder = BatchBuilder(store: store.id, version: "dtvr/0.0-test", encodeLine: Self.builderLine)
        let built = builder.batch(
            of: try await store.tags(maximumCount: 500), losses: store.losses(), attempt: 1,
            encoding: .zstd)
        return try #require(built.batch)
    }
}

/// A counter of calls, from 1.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
