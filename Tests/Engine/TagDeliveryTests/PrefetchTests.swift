import Synchronization
import TagDelivery
import TagStore
import TestSupport
import Testing

/// The batch after one in flight is prefetched, and sent only if a new read would return the same tags.
@Suite(.timeLimit(.minutes(30))) struct PrefetchTests {
    /// Drains 1,200 tags to a sink that answers the first batch with `first` and accepts all others.
    ///
    /// The sink answers the first batch after the second one was prefetched and `meanwhile` has run.
    private func drain(
        _ bench: DeliveryBench,
        first: @escaping @Sendable (TagBatch) -> SinkAnswer = { _ in .received(rejected: []) },
        meanwhile: @escaping @Sendable (TagBuffer) async throws -> Void = { _ in }
    ) async throws -> (ids: [TagID], batches: [TagBatch]) {
        try await bench.append(1_200)
        let ids = try await bench.store.tags(maximumCount: 1_200).map(\.id)
        let store = bench.store
        let sink = ScriptedSink { number, batch in
            guard number == 1 else { return .received(rejected: []) }
            do {
                try await wait(
                    for: "prefetched tags", asking: { try await store.status().inFlightCount >= 1_000 })
                try await meanwhile(store)
            } catch {
                Issue.record(error)
            }
            return first(batch)
        }
        #expect(try await bench.uploader(to: sink).drain(timeLimit: .seconds(1 << 40)).end == .drained)
        let totals = store.totals()
        #expect(totals.isBalanced && totals.inStore == 0)
        #expect(totals.delivered == 1_200 - totals.losses.total)
        return (ids, sink.batches)
    }

    private func header(_ batch: TagBatch) -> String {
        String(decoding: batch.body.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    @Test func receipt_ofCompleteBatch_isFollowedByPrefetchedTags() async throws {
        let bench = try await DeliveryBench()
        let (ids, batches) = try await drain(bench)
        #expect(batches.map(\.tagIDs) == [Array(ids[..<500]), Array(ids[500..<1_000]), Array(ids[1_000...])])
        #expect(batches.map(\.attempt) == [1, 1, 1])
        #expect(header(batches[1]).contains(#""first_seq":501,"last_seq":1000,"#))
        #expect(Set(batches.map(\.id)).count == 3)
        await bench.store.close()
    }

    static let answers: [(answer: SinkAnswer, count: Int, attempt: Int, encoding: ContentEncoding)] = [
        (.retry(reason: "r", notBefore: nil), 500, 2, .zstd),
        (.hold(reason: "h", notBefore: nil), 500, 2, .zstd),
        (.tooLarge, 250, 1, .zstd), (.refused(code: "c"), 250, 1, .zstd),
        (.unsupportedEncoding, 500, 1, .gzip),
    ]

    @Test(arguments: answers)
    func answer_otherThanReceipt_resendsTheSameTags(
        answer: SinkAnswer, count: Int, attempt: Int, encoding: ContentEncoding
    ) async throws {
        let bench = try await DeliveryBench()
        let (ids, batches) = try await drain(bench, first: { _ in answer })
        #expect(batches[1].tagIDs == Array(ids[..<count]))
        #expect(batches[1].attempt == attempt && batches[1].encoding == encoding)
        #expect((batches[1].id == batches[0].id) == (count == 500))
        #expect(batches.dropFirst().flatMap(\.tagIDs) == ids)
        await bench.store.close()
    }

    @Test func rejectedTag_isCountedInNextBatchHeader() async throws {
        let bench = try await DeliveryBench()
        let (ids, batches) = try await drain(
            bench, first: { batch in .received(rejected: [.init(id: batch.tagIDs[3], code: "no")]) })
        #expect(batches[1].tagIDs == Array(ids[500..<1_000]))
        #expect(header(batches[1]).contains(#""dead":1,"#))
        #expect(bench.store.losses().dead == 1)
        await bench.store.close()
    }

    @Test func pruning_duringDelivery_sparesInFlightBatches_andIsCountedInNextHeader() async throws {
        let bench = try await DeliveryBench()
        let (ids, batches) = try await drain(
            bench, meanwhile: { store in _ = try await store.prune(olderThan: .zero) })
        #expect(batches.map(\.tagIDs) == [Array(ids[..<500]), Array(ids[500..<1_000])])
        #expect(header(batches[1]).contains(#""pruned":200,"#))
        #expect(bench.store.losses().pruned == 200)
        await bench.store.close()
    }

    @Test func prefetchedTag_removedMeanwhile_isNotSent() async throws {
        let bench = try await DeliveryBench()
        let (ids, batches) = try await drain(
            bench,
            meanwhile: { store in
                try await store.acknowledge(Acknowledgement(refused: [.init(sequence: 701, code: "gone")]))
            })
        #expect(batches[1].tagIDs == Array(ids[500..<700] + ids[701..<1_001]))
        #expect(!batches.flatMap(\.tagIDs).contains(ids[700]))
        await bench.store.close()
    }

    /// Fewer tags than a full batch are not prefetched, so the next batch includes tags that are appended in the
    /// meantime.
    @Test func tags_appendedDuringDelivery_joinNextPartialBatch() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(600)
        let sink = ScriptedSink { number, _ in
            do {
                if number == 1 { try await bench.append(50) }
            } catch {
                Issue.record(error)
            }
            return .received(rejected: [])
        }
        #expect(try await bench.uploader(to: sink).drain().end == .drained)
        #expect(sink.batches.map(\.tagIDs.count) == [500, 150])
        await bench.store.close()
    }

    /// A batch is acknowledged in the store while the next one is in flight; without a next one, it is acknowledged at
    /// once.
    @Test func cancellation_afterAReceipt_acknowledgesDeliveredTags() async throws {
        let bench = try await DeliveryBench()
        try await bench.append(1_200)
        let store = bench.store
        let draining = Mutex<Task<DrainOutcome, any Error>?>(nil)
        let sink = ScriptedSink { _, _ in
            do {
                try await wait(
                    for: "prefetched tags", asking: { try await store.status().inFlightCount >= 1_000 })
                try await wait(for: "the draining task", asking: { draining.withLock { $0 != nil } })
            } catch {
                Issue.record(error)
            }
            draining.withLock { $0?.cancel() }
            return .received(rejected: [])
        }
        let uploader = bench.uploader(to: sink)
        let task = Task { try await uploader.drain() }
        draining.withLock { $0 = task }
        let outcome = try await task.value
        #expect(
            outcome == DrainOutcome(end: .cancelled, deliveredCount: 500, deadCount: 0, waitingCount: 700))
        #expect(sink.batches.count == 1)
        #expect(store.totals().delivered == 500 && store.totals().inStore == 700)
        #expect(uploader.progress.deliveredCount == 500)
        await store.close()
    }
}
