import CDTVRHeader
import Foundation
import Glibc
import TestSupport
import Testing

/// `dtvr_deliver_within`: the statuses and numbers, with collectors on the loopback interface.
@Suite(.timeLimit(.minutes(30))) struct DeliverWithinTests {
    /// Returns a session that delivers only its tags, to an address, and does so once an hour by itself.
    private static func session(in folder: TemporaryFolder, collector: String) throws -> CSession {
        var options = CSession.Options()
        options.configurationFile = try folder.write(
            "configuration.json",
            #"{"collectors":{"default":"\#(collector)"},"uploadInterval":3600,"records":"tags"}"#.utf8)
        return try #require(CSession(folder.path + "/store", options))
    }

    @Test func storedTag_isDelivered_andNothingIsLeft() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in
            [response("200 OK", #"{"accepted":1,"duplicate":0,"rejected":[]}"#)]
        }
        let session = try Self.session(in: folder, collector: server.base + "/")
        #expect(try await session.settle() == DTVR_DONE)
        try await wait(for: "the uploader") { session.delivery.state == DTVR_DELIVERY_IDLE }
        #expect(session.play() == DTVR_DONE)
        #expect(session.send("www.nielsen.com/a") == DTVR_STORED)
        let (status, result) = try await session.deliver(milliseconds: 600_000)
        #expect(status == DTVR_DONE && result.delivered == 1 && result.waiting == 0 && result.held == 0)
        #expect(result.state == DTVR_DELIVERY_IDLE && result.code == 0)
        #expect(session.send("www.nielsen.com/later", mediaTime: 100) == DTVR_HELD)
        let held = try await session.deliver(milliseconds: .max)
        #expect(held.status == DTVR_DONE && held.result.delivered == 0)
        #expect(held.result.waiting == 1 && held.result.held == 1)
        #expect(try await session.destroy() == DTVR_DONE)
        #expect(try await session.deliver(milliseconds: 0).status == DTVR_NO_SESSION)
        server.stop()
    }

    @Test func slowCollector_isTimedOut_withWhatIsLeft() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [.hang] }
        let session = try Self.session(in: folder, collector: server.base + "/")
        // The configuration is loaded.
        #expect(try await session.settle() == DTVR_DONE)
        session.send("www.nielsen.com/a")
        for milliseconds in [0, 1, 500] as [UInt64] {
            let (status, result) = try await session.deliver(milliseconds: milliseconds)
            #expect(status == DTVR_TIMED_OUT && result.delivered == 0 && result.waiting == 1)
        }
        #expect(try await session.destroy() == DTVR_DONE)
        server.stop()
    }

    @Test func refusedToken_andMissingCollector_areNotDelivered_atOnce() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [response("401 Unauthorized")] }
        let session = try Self.session(in: folder, collector: server.base + "/")
        session.send("www.nielsen.com/a")
        let (status, result) = try await session.deliver(milliseconds: .max)
        #expect(status == DTVR_NOT_DELIVERED && result.waiting == 1)
        #expect(result.state == DTVR_DELIVERY_HELD && result.code == 9)
        #expect(try await session.destroy() == DTVR_DONE)
        server.stop()

        let none = try #require(CSession(folder.path + "/none"))
        none.send("www.nielsen.com/a")
        let off = try await none.deliver(milliseconds: .max)
        #expect(off.status == DTVR_NOT_DELIVERED && off.result.state == DTVR_DELIVERY_OFF)
        #expect(off.result.waiting >= 1 && off.result.delivered == 0)
        #expect(try await none.destroy() == DTVR_DONE)
    }

    /// The lock of another process that does not serve the buffer.
    @Test func bufferOfAnotherProcess_isInUse() async throws {
        let folder = try TemporaryFolder()
        let lock = try FileHandle(forUpdating: URL(fileURLWithPath: folder.write("lock", "1\n".utf8)))
        #expect(flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        var options = CSession.Options()
        options.configurationFile = try folder.write(
            "configuration.json", #"{"collectors":{"default":"http://127.0.0.1:9/"},"records":"tags"}"#.utf8)
        let session = try #require(CSession(folder.path, options))
        session.send("www.nielsen.com/a")
        let (status, result) = try await session.deliver(milliseconds: 2_000)
        #expect(status == DTVR_IN_USE && result.waiting == 1)
        #expect(try await session.destroy(milliseconds: 100) == DTVR_IN_USE)
        try lock.close()
    }

    @Test func results_withoutASize_areInvalid_andNullIsAllowed() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        let statuses = try await onOwnThread {
            var result = dtvr_delivered()
            return unsafe [
                dtvr_deliver_within(session.pointer, 0, &result),
                dtvr_deliver_within(session.pointer, 0, nil),
                dtvr_deliver_within(nil, 0, nil),
            ]
        }
        #expect(statuses == [DTVR_INVALID_OPTION, DTVR_NOT_DELIVERED, DTVR_NULL_POINTER])
        #expect(try await session.destroy() == DTVR_DONE)
    }
}
