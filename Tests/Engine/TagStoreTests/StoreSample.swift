import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// Copies of the files of a filled store, and the tags that were appended to it.
struct StoreSample: Sendable {
    /// The contents of the files, by name.
    private(set) var files: [String: [UInt8]] = [:]
    /// The body of every tag that was ever accepted.
    private(set) var bodies: [TagID: [UInt8]] = [:]
    /// The pending tags.
    private(set) var waiting: Set<TagID> = []
    /// The totals before the store was closed.
    private(set) var totals = StoreTotals()

    static let settings = StoreSettings(maximumByteCount: 2_000_000)

    /// Creates a sample by appending tags in steps of 20, and then delivering and refusing some of them.
    ///
    /// - Parameter isClosed: Whether the owner closed the store. Otherwise the log still contains the last tags, as
    ///   after `kill -9`.
    init(tagCount: Int, delivered: Int = 0, refused: Int = 0, isClosed: Bool, seed: UInt64 = 51) async throws
    {
        let directory = TestDirectory()
        var source = BodySource(seed: seed)
        let store = try await TagBuffer.open(
            directory: directory.path, settings: Self.settings, clock: ManualClock())
        for start in stride(from: 0, to: tagCount, by: 20) {
            let tags = source.tags(start..<min(start + 20, tagCount))
            try await store.append(tags)
            for tag in tags {
                bodies[tag.id] = tag.body
                waiting.insert(tag.id)
            }
        }
        if delivered + refused > 0 {
            let batch = try await store.nextBatch(maximumCount: delivered + refused, maximumByteCount: .max)
            try await store.acknowledge(
                Acknowledgement(
                    delivered: batch.prefix(delivered).map(\.sequence),
                    refused: batch.suffix(refused).map { .init(sequence: $0.sequence, code: "no") },
                    deliveryState: Array(repeating: 7, count: 2_000)))
            for tag in batch { waiting.remove(tag.id) }
        }
        totals = store.totals()
        if isClosed { await store.close() }
        for name in try FileSystem.names(in: directory.path) where name != "lock" {
            files[name] = try FileSystem.firstBytes(of: directory.path + "/" + name, 4_000_000)
        }
        if !isClosed { await store.close() }
    }

    /// Returns a new directory with the files.
    func directory() throws -> TestDirectory {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: directory.path + "/" + name))
        }
        return directory
    }

    /// Returns the sample with a change in one of its files.
    func replacing(_ name: String, with change: (inout [UInt8]) -> Void) -> StoreSample {
        var sample = self
        change(&sample.files[name, default: []])
        return sample
    }

    /// The result of opening the files.
    struct Opened: Sendable {
        let findings: OpeningFindings
        let totals: StoreTotals
        /// The tags that were found.
        let found: Set<TagID>
    }

    /// Opens the files, reads all tags, appends one, and opens the files again.
    ///
    /// Checks that no tag is wrong or duplicate, that the totals balance, that the store accepts tags again, and that
    /// the second opening reports no findings.
    func open(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Opened {
        let directory = try directory()
        let store: TagBuffer
        do throws(StoreError) {
            store = try await TagBuffer.open(
                directory: directory.path, settings: Self.settings, clock: ManualClock())
        } catch {
            Issue.record("\(what): \(error)", sourceLocation: sourceLocation)
            throw error
        }
        let opened = store.totals()
        #expect(opened.isBalanced, "\(what): \(opened)", sourceLocation: sourceLocation)
        var found: Set<TagID> = []
        var last: Int64 = 0
        while let page = try await store.tags(after: last, maximumCount: 500).nonEmpty {
            for tag in page {
                #expect(
                    bodies[tag.id] == tag.body, "\(what): a wrong tag", sourceLocation: sourceLocation)
                #expect(found.insert(tag.id).inserted, "\(what): twice", sourceLocation: sourceLocation)
            }
            last = page[page.count - 1].sequence
        }
        let totals = store.totals()
        #expect(totals.isBalanced, "\(what): \(totals)", sourceLocation: sourceLocation)
        #expect(totals.inStore == Int64(found.count), "\(what): \(totals)", sourceLocation: sourceLocation)
        let outcome = try await store.append([NewTag(body: [1])])
        #expect(outcome.durability == .durable, sourceLocation: sourceLocation)
        let verification = try await store.verify()
        #expect(verification.isIntact, "\(what): \(verification)", sourceLocation: sourceLocation)
        #expect(directory.byteCount <= Self.settings.maximumByteCount, sourceLocation: sourceLocation)
        await store.close()
        let again = try await TagBuffer.open(
            directory: directory.path, settings: Self.settings, clock: ManualClock())
        #expect(again.findings == OpeningFindings(), "\(what)", sourceLocation: sourceLocation)
        #expect(again.totals().accepted == totals.accepted + 1, "\(what)", sourceLocation: sourceLocation)
        await again.close()
        return Opened(findings: store.findings, totals: totals, found: found)
    }
}
