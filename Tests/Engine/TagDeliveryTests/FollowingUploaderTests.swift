import Glibc
import HTTPTransfer
import HostSystem
import Synchronization
import TagDelivery
import TagStore
import TestSupport
import Testing

/// Uploading that leaves the buffer to others whenever it waits.
@Suite(.timeLimit(.minutes(30))) struct FollowingUploaderTests {
    private struct Bench {
        let folder: TemporaryFolder
        let clock = ManualClock(jumps: true)

        init() throws { folder = try TemporaryFolder() }

        var path: String { folder.path + "/store" }

        /// Opens the buffer once nobody holds it.
        func open() async throws -> TagBuffer {
            while true {
                do throws(StoreError) {
                    return try await TagBuffer.open(directory: path, clock: clock)
                } catch {
                    guard case .inUse = error else { throw error }
                }
                try await onOwnThread { _ = poll(nil, 0, 5) }
            }
        }

        func append(_ range: Range<Int>) async throws {
            let buffer = try await open()
            try await buffer.append(range.map { NewTag(body: Array("tag\($0)".utf8)) })
            await buffer.close()
        }

        func uploader(to sink: any TagSink) -> FollowingUploader {
            let (path, clock) = (path, clock)
            return FollowingUploader(
                directory: path, sink: sink, clock: clock,
                open: { () throws(StoreError) in try await TagBuffer.open(directory: path, clock: clock) },
                makeBuilder: {
                    BatchBuilder(store: $0, version: "0", encodeLine: DeliveryBench.builderLine)
                })
        }
    }

    @Test func batchInFlight_leavesTheBufferToOthers() async throws {
        let bench = try Bench()
        try await bench.append(0..<10)
        let sink = ScriptedSink { number, _ in
            do {
                if number == 1 { try await bench.append(10..<30) }
            } catch {
                Issue.record(error)
            }
            return .received(rejected: [])
        }
        let uploader = bench.uploader(to: sink)
        let running = Task { try await uploader.run() }
        try await wait(for: "deliveries") { uploader.progress.deliveredCount >= 30 }
        running.cancel()
        try await running.value
        #expect(sink.batches.map(\.tagIDs.count) == [10, 20])
        let buffer = try await bench.open()
        #expect(buffer.totals().delivered == 30 && buffer.totals().inStore == 0 && buffer.totals().isBalanced)
        await buffer.close()
    }

    @Test func wait_leavesTheBufferToOthers_andIsThatOfTheSchedule() async throws {
        let bench = try Bench()
        try await bench.append(0..<10)
        let sink = ScriptedSink { number, _ in
            number < 3 ? .hold(reason: "status 403", notBefore: nil) : .received(rejected: [])
        }
        let uploader = bench.uploader(to: sink)
        let start = bench.clock.unixMilliseconds
        let running = Task { try await uploader.run() }
        try await wait(for: "deliveries") { uploader.progress.deliveredCount >= 10 }
        running.cancel()
        try await running.value
        // Looked at each second, in case that somebody has had the buffer.
        #expect(bench.clock.unixMilliseconds - start >= 1_800_000)
        #expect(bench.clock.sleeps.allSatisfy { $0 <= .seconds(1) })
        #expect(sink.batches.count == 3 && Set(sink.batches.map(\.id)).count == 1)
        #expect(sink.batches.map(\.attempt) == [1, 2, 3])
    }

    /// Whoever delivers in between ends a hold for this one too.
    @Test func hold_thatAnotherUploaderEnded_isOver() async throws {
        let bench = try Bench()
        try await bench.append(0..<10)
        let sink = ScriptedSink { number, _ in
            number == 1 ? .hold(reason: "status 403", notBefore: nil) : .received(rejected: [])
        }
        let clock = ManualClock()
        let path = bench.path
        let uploader = FollowingUploader(
            directory: path, sink: sink, clock: clock,
            open: { () throws(StoreError) in try await TagBuffer.open(directory: path, clock: clock) },
            makeBuilder: { BatchBuilder(store: $0, version: "0", encodeLine: DeliveryBench.builderLine) })
        let running = Task { try await uploader.run() }
        await clock.waitForSleepers()
        guard case .holding = uploader.progress.activity else {
            Issue.record("\(uploader.progress.activity)")
            return
        }
        let buffer = try await bench.open()
        let other = Uploader(
            buffer: buffer, sink: sink,
            builder: BatchBuilder(store: buffer.id, version: "0", encodeLine: DeliveryBench.builderLine))
        #expect(try await other.drain() == .drained)
        try await buffer.append([NewTag(body: [UInt8(ascii: "t")])])
        await buffer.close()
        clock.advance(by: .seconds(1))
        try await wait(for: "deliveries") { uploader.progress.deliveredCount >= 1 }
        running.cancel()
        try await running.value
        #expect(sink.batches.map(\.tagIDs.count) == [10, 10, 1])
    }

    @Test func cancellation_withAnAnswer_stillTellsTheBuffer() async throws {
        let bench = try Bench()
        try await bench.append(0..<10)
        let cancelling = Mutex<Task<Void, any Error>?>(nil)
        let mayAnswer = AsyncStream.makeStream(of: Void.self)
        let sink = ScriptedSink { _, _ in
            for await _ in mayAnswer.stream { break }
            cancelling.withLock { $0 }?.cancel()
            return .received(rejected: [])
        }
        let uploader = bench.uploader(to: sink)
        let running = Task { try await uploader.run() }
        cancelling.withLock { $0 = running }
        mayAnswer.continuation.yield()
        try await running.value
        let buffer = try await bench.open()
        #expect(buffer.totals().delivered == 10 && buffer.totals().isBalanced)
        await buffer.close()
    }

    /// The numbers of a new buffer are other tags' than those that were sent.
    @Test func bufferMadeAnewMeanwhile_isNotToldOfTheOthersTags() async throws {
        let bench = try Bench()
        try await bench.append(0..<10)
        let path = bench.path
        let sink = ScriptedSink { number, _ in
            do {
                if number == 1 {
                    _ = try await FinishedProcess.of("/bin/rm", ["-rf", path])
                    try await bench.append(10..<14)
                }
            } catch {
                Issue.record(error)
            }
            return .received(rejected: [])
        }
        let uploader = bench.uploader(to: sink)
        let running = Task { try await uploader.run() }
        try await wait(for: "deliveries") {
            sink.batches.count >= 2 && uploader.progress.deliveredCount >= 14
        }
        running.cancel()
        try await running.value
        #expect(sink.batches.map(\.tagIDs.count) == [10, 4])
        let buffer = try await bench.open()
        #expect(buffer.totals().delivered == 4 && buffer.totals().inStore == 0 && buffer.totals().isBalanced)
        await buffer.close()
    }

    @Test func buffer_thatCannotBeHad_endsTheRun() async throws {
        let sink = ScriptedSink { _, _ in .received(rejected: []) }
        let uploader = FollowingUploader(
            directory: "/nonexistent", sink: sink,
            open: { () throws(StoreError) in throw StoreError.notADirectory(path: "/nonexistent") },
            makeBuilder: { BatchBuilder(store: $0, version: "0", encodeLine: DeliveryBench.builderLine) })
        await #expect(throws: StoreError.notADirectory(path: "/nonexistent")) { try await uploader.run() }
    }
}
