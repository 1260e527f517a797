import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PlayerSession

/// The notifications of a session: complete and in order, for every receiver.
@Suite(.timeLimit(.minutes(30))) struct NotificationTests {
    private static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    /// Records notifications, and may answer each with a call.
    private final class Listener: MeasurementSessionDelegate {
        let received = Mutex<[SessionNotification]>([])
        private let respond: @Sendable (MeasurementSession, SessionNotification) -> Void

        init(respond: @escaping @Sendable (MeasurementSession, SessionNotification) -> Void = { _, _ in }) {
            self.respond = respond
        }

        func session(_ session: MeasurementSession, didNotify notification: SessionNotification) {
            received.withLock { $0.append(notification) }
            respond(session, notification)
        }

        var errors: [SessionNotification] { received.withLock { $0 }.filter { $0.kind == .error } }
    }

    private static func errors(of session: MeasurementSession) async -> [SessionNotification] {
        var errors: [SessionNotification] = []
        for await notification in session.notifications where notification.kind == .error {
            errors.append(notification)
        }
        return errors
    }

    /// Calls that report a different error each.
    private static let invalidCalls: [(call: SessionCall, code: SessionErrorCode)] = [
        (SessionCall(.initialize, [[:]]), .appID), (SessionCall(.play, ["x"]), .playJSON),
        (SessionCall(.loadMetadata, ["x"]), .metadataJSON), (SessionCall(.sendID3, [""]), .id3Data),
        (SessionCall(.appDisableApi), .emptyValue),
    ]

    /// The log has the calls in the order in which the session handled them.
    @Test func notifications_ofCallsFromManyThreads_areInTheOrderOfTheCalls() async throws {
        let folder = try TemporaryFolder()
        var options = SessionOptions(directory: folder.path + "/store")
        options.log = folder.path + "/calls.jsonl"
        let session = MeasurementSession(appInfo: Self.appInfo, options: options)
        let listener = Listener()
        session.delegate = listener
        await session.flush()
        await withTaskGroup(of: Void.self) { group in
            for (call, code) in Self.invalidCalls {
                group.addTask {
                    for _ in 0..<150 { #expect(session.call(call).code == code) }
                }
            }
        }
        #expect(session.lastError == session.lastOccurred)
        let last = session.lastError
        await session.finish()
        let lines = try String(contentsOfFile: folder.path + "/calls.jsonl", encoding: .utf8)
            .split(separator: "\n")
        let expected = try lines.compactMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["code"] as? Int
        }
        let streamed = await Self.errors(of: session)
        #expect(expected.count == 750)
        #expect(streamed.map(\.code) == expected)
        #expect(listener.errors == streamed)
        #expect(streamed.last == last)
        #expect(streamed.map(\.timestamp) == streamed.map(\.timestamp).sorted())
    }

    /// `init` with the app's information ends before a delegate could be set.
    @Test func delegate_ofTheOptions_getsTheFirstNotification_andIsHeldWeakly() async throws {
        let folder = try TemporaryFolder()
        var options = SessionOptions(directory: folder.path)
        let unchanged = options
        let session: MeasurementSession
        do {
            let listener = Listener()
            options.delegate = listener
            #expect(options != unchanged && options.delegate === listener)
            session = MeasurementSession(appInfo: [:], options: options)
            #expect(session.delegate === listener)
            await session.flush()
            #expect(listener.errors.map(\.code) == [SessionErrorCode.appID.rawValue])
            await session.finish()
        }
        #expect(session.delegate == nil && options.delegate == nil)
    }

    @Test func delegate_thatDoesNotReturn_leavesTheNewestNotificationsWaiting() {
        let listener = Listener()
        var queue = DelegateQueue(WeakDelegate(listener))
        for code in 0..<1_500 {
            queue.add(SessionNotification(kind: .error, code: code, text: "", timestamp: 0))
        }
        #expect(queue.begin() && !queue.begin())
        var codes: [Int] = []
        while let next = queue.next() { codes.append(next.notification.code) }
        #expect(codes == Array(500..<1_500) && !queue.begin())
    }

    /// A delegate that makes calls gets their errors afterwards, not within its own call.
    @Test func delegate_thatMakesCalls_isCalledOneAtATime_inOrder() async throws {
        let folder = try TemporaryFolder()
        let depths = Mutex<(current: Int, deepest: Int)>((0, 0))
        let listener = Listener { session, notification in
            depths.withLock { depths in
                depths.current += 1
                depths.deepest = max(depths.deepest, depths.current)
            }
            if notification.code == SessionErrorCode.id3Data.rawValue {
                session.play("x")
                session.appDisableApi(false)
                session.loadMetadata("x")
            }
            depths.withLock { $0.current -= 1 }
        }
        let session = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path))
        session.delegate = listener
        await session.flush()
        session.sendID3("")
        session.sendID3("")
        await session.finish()
        let deepest = depths.withLock { $0.deepest }
        #expect(deepest == 1)
        #expect(listener.errors.map(\.code) == [3, 1, 2, 3, 1, 2])
    }
}
