import Foundation
import HostSystem
import Synchronization
import TagStore
import TestSupport
import Testing

@testable import TagDelivery

/// The requests of other processes to the owner of a buffer, without the socket.
@Suite(.timeLimit(.minutes(30))) struct BufferSharingTests {
    private struct Bench {
        let folder: TemporaryFolder
        let buffer: TagBuffer
        let owner: BufferOwner

        init(clock: any HostClock = .system) async throws {
            folder = try TemporaryFolder()
            buffer = try await TagBuffer.open(
                directory: folder.path, settings: StoreSettings(), clock: clock)
            owner = BufferOwner(buffer)
        }

        func value<Value: Decodable>(
            _ request: BufferRequest, bodies: [[UInt8]] = [], as type: Value.Type = Value.self
        ) async throws -> Value {
            let answer = await owner.answer(try request.encoded(with: bodies))
            guard case .value(let json) = answer else { throw Unexpected(answer: answer) }
            return try JSONDecoder().decode(Value.self, from: Data(json))
        }

        func append(_ bodies: [[UInt8]], holder: String? = nil, bookmark: Bookmark? = nil) async throws
            -> BufferChange<[AppendedPiece]>
        {
            let tags = bodies.map {
                BufferRequest.Append.Tag(id: TagID.random().text, byteCount: $0.count, owner: nil)
            }
            let append = BufferRequest.Append(
                owner: TagOwner(channel: "a"), bookmark: bookmark, holder: holder, tags: tags)
            return try await value(.append(append), bodies: bodies)
        }

        func batch() async throws -> [[UInt8]] {
            try await buffer.nextBatch(maximumCount: 100, maximumByteCount: 1 << 20).map(\.body)
        }
    }

    private struct Unexpected: Error {
        let answer: BufferOwner.Answer
    }

    /// Bodies with any bytes, including line feeds, are stored unchanged.
    @Test func append_ofArbitraryBytes_storesThemWithTheirBookmark() async throws {
        let bench = try await Bench()
        let bodies: [[UInt8]] = [Array(0...255), [], Array("\n{}\n".utf8)]
        let recent = [1, UInt64.max].map { Bookmark.RecentTag(TagID(high: $0, low: 2)) }
        let change = try await bench.append(
            bodies, bookmark: Bookmark(channel: "a", reader: "a/0", position: 7, recentTags: recent))
        #expect(change.value.map(\.range) == [0..<3] && change.value[0].outcome?.durability == .durable)
        #expect(change.totals.accepted == 3)
        #expect(try await bench.batch() == bodies)
        #expect(try await bench.buffer.bookmark(of: "a/0", in: "a") == 7)
        #expect(try await bench.buffer.recentTags(of: "a") == recent)
        #expect(try await bench.buffer.bookmark(of: "b", in: "b") == nil)
        await bench.buffer.close()
    }

    @Test func quarantine_isKeptByTheOwnerOfTheBuffer() async throws {
        let bench = try await Bench()
        func append(_ body: UInt8, _ owner: TagOwner) async throws {
            let append = BufferRequest.Append(
                owner: .nobody, bookmark: nil, holder: nil,
                tags: [.init(id: TagID.random().text, byteCount: 1, owner: owner)])
            let _: BufferChange<[AppendedPiece]> = try await bench.value(.append(append), bodies: [[body]])
        }
        try await append(1, TagOwner.nobody.quarantined)
        try await append(2, .nobody)
        #expect(try await bench.batch() == [[2]])
        let admitted: BufferChange<Int64> = try await bench.value(.admit(deleting: false))
        #expect(try await bench.batch() == [[1], [2]] && admitted.value == 1)
        try await append(3, TagOwner.records.quarantined)
        let deleted: BufferChange<Int64> = try await bench.value(.admit(deleting: true))
        #expect(try await bench.batch() == [[1], [2]] && deleted.totals.losses.pruned == 1)
        await bench.buffer.close()
    }

    @Test(arguments: [
        "", "\n", "{}\n", "{\"flush\":{}}", "nonsense\n", #"{"append":{"_0":{"tags":[]}}}"# + "\n",
    ])
    func request_thatIsInvalid_isAnsweredWithAReason(text: String) async throws {
        let bench = try await Bench()
        guard case .invalid = await bench.owner.answer(Array(text.utf8)) else {
            Issue.record("accepted")
            return
        }
        await bench.buffer.close()
    }

    @Test(arguments: [[-1], [2], [4, -1], [Int.max, 1]])
    func append_withMismatchedSizes_isInvalid(sizes: [Int]) async throws {
        let bench = try await Bench()
        let append = BufferRequest.Append(
            owner: .nobody, bookmark: nil, holder: nil,
            tags: sizes.map { .init(id: TagID.random().text, byteCount: $0, owner: nil) })
        let answer = await bench.owner.answer(try BufferRequest.append(append).encoded(with: [[1, 2, 3]]))
        guard case .invalid = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(bench.buffer.totals().accepted == 0)
        await bench.buffer.close()
    }

    @Test func heldTags_areReleasedOnRequestOrWhenTheirClientDisconnects() async throws {
        let bench = try await Bench()
        await #expect(throws: Unexpected.self) { try await bench.append([[1]], holder: "c") }
        bench.owner.beginHolding(for: "c")
        bench.owner.beginHolding(for: "c")
        let first = try await bench.append([[1], [2], [3]], holder: "c").value[0].outcome?.sequences?
            .lowerBound
        let sequence = try #require(first)
        _ = try await bench.append([[4]])
        #expect(try await bench.batch() == [[4]])
        let release = BufferRequest.release([
            .init(sequence: sequence, byteCount: nil), .init(sequence: sequence + 1, byteCount: 2),
        ])
        let released: BufferChange<Bool> = try await bench.value(release, bodies: [[8, 9]])
        #expect(released.value)
        #expect(try await bench.batch() == [[1], [8, 9], [4]])
        // Another connection of the client is still open.
        bench.owner.endHolding(for: "c")
        #expect(try await bench.batch() == [[1], [8, 9], [4]])
        bench.owner.endHolding(for: "c")
        try await wait(for: "the release", asking: { try await bench.batch() == [[1], [8, 9], [3], [4]] })
        await bench.buffer.close()
    }

    /// A client that never releases a tag, also not one that has expired.
    @Test func tagsBeyondTheHeldMaximum_areReleasedAtOnce() async throws {
        let bench = try await Bench()
        bench.owner.beginHolding(for: "c")
        var rest = BufferOwner.maximumHeldCount - 1
        while rest > 0 {
            let count = min(rest, BufferRequest.maximumTagCount)
            _ = try await bench.append(Array(repeating: [1], count: count), holder: "c")
            rest -= count
        }
        _ = try await bench.buffer.prune(olderThan: .zero)
        let sequence = try await bench.append([[2]], holder: "c").value[0].outcome?.sequences?.lowerBound
        _ = try await bench.append([[3]], holder: "c")
        #expect(try await bench.batch() == [[3]])
        let held = BufferRequest.Release(sequence: try #require(sequence), byteCount: nil)
        let released: BufferChange<Bool> = try await bench.value(.release([held]))
        #expect(released.value)
        #expect(try await bench.batch() == [[2], [3]])
        _ = try await bench.append([[4]], holder: "c")
        #expect(try await bench.batch() == [[2], [3]])
        await bench.buffer.close()
    }

    /// A client that is killed after its tags were stored, and before they are answered, holds none.
    @Test func tagsOfAClientThatEndsDuringItsAppend_areReleased() async throws {
        let clock = InterposedClock()
        let bench = try await Bench(clock: clock)
        bench.owner.beginHolding(for: "c")
        clock.doOnce { [owner = bench.owner] in owner.endHolding(for: "c") }
        _ = try await bench.append([[1], [2]], holder: "c")
        #expect(clock.isDone)
        #expect(try await bench.batch() == [[1], [2]])
        await bench.buffer.close()
    }

    /// The tag may be in flight with its first body.
    @Test func release_ofTagNotHeldByAnyClient_leavesBodyUnchanged() async throws {
        let bench = try await Bench()
        let first = try await bench.append([[1]]).value[0].outcome?.sequences?.lowerBound
        let release = BufferRequest.release([.init(sequence: try #require(first), byteCount: 2)])
        let released: BufferChange<Bool> = try await bench.value(release, bodies: [[8, 9]])
        #expect(released.value)
        #expect(try await bench.batch() == [[1]])
        await bench.buffer.close()
    }

    @Test func closedBuffer_answersWithFailure() async throws {
        let bench = try await Bench()
        await bench.buffer.close()
        guard case .failed(let reason) = await bench.owner.answer(try BufferRequest.status.encoded()) else {
            Issue.record("answered")
            return
        }
        #expect(reason == "the buffer is closed")
    }

    @Test func requests_haveTheirLimits() {
        let limits = RemoteBuffer.TimeLimits()
        #expect(limits.answerSeconds == 20 && limits.statusSeconds == 2 && limits.verificationSeconds == 600)
    }

    /// The owner accepts connections, and never answers.
    @Test(arguments: ["flush", "status", "verify"])
    func request_toASilentOwner_failsAtItsLimit(name: String) async throws {
        let folder = try TemporaryFolder()
        let peer = try SilentPeer(path: folder.path + "/" + RemoteBuffer.socketName)
        let limits = RemoteBuffer.TimeLimits(
            answerSeconds: name == "flush" ? 1 : 86_400, statusSeconds: name == "status" ? 1 : 86_400,
            verificationSeconds: name == "verify" ? 1 : 86_400)
        let remote = try #require(
            try RemoteBuffer(in: folder.path, trusting: .own, timeLimits: limits))
        let error = await #expect(throws: StoreError.self) {
            switch name {
            case "flush": _ = try await remote.flush()
            case "status": _ = try await remote.status()
            default: _ = try await remote.verify()
            }
        }
        guard case .remote(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("timed out") && peer.hasConnection, "\(reason)")
    }

    /// A folder without a socket, and a socket without a process, as after a kill.
    @Test func access_withUnresponsiveOwner_failsAsInUse() async throws {
        let folder = try TemporaryFolder()
        #expect(try RemoteBuffer(in: folder.path) == nil)
        let buffer = try await TagBuffer.open(directory: folder.path)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/" + RemoteBuffer.socketName))
        let path = folder.path
        await #expect(throws: StoreError.inUse(pid: getpid())) {
            try await BufferAccess.open(in: path) { () throws(StoreError) in
                try await TagBuffer.open(directory: path)
            }
        }
        await buffer.close()
    }
}

/// The clock of the system, which does something the next time it is read: a buffer reads it during an append.
private final class InterposedClock: HostClock {
    private struct Action {
        let act: @Sendable () -> Void
    }

    private let action = Mutex<Action?>(nil)

    func doOnce(_ act: @escaping @Sendable () -> Void) { action.withLock { $0 = Action(act: act) } }

    /// Whether the clock was read since.
    var isDone: Bool { action.withLock { $0 == nil } }

    var unixMilliseconds: Int64 {
        action.withLock { $0.take() }?.act()
        return SystemClock().unixMilliseconds
    }

    var sinceBoot: Duration { SystemClock().sinceBoot }
    var bootID: String { SystemClock().bootID }
    var isSynchronized: Bool? { SystemClock().isSynchronized }

    func sleep(for duration: Duration) async throws(CancellationError) {
        try await SystemClock().sleep(for: duration)
    }
}
