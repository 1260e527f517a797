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

    /// Error 1007 says whether the text is broken or the id is missing, and quotes nothing of it.
    @Test(
        arguments: [
            ([:], "the app's information has no appid"),
            (["appname": "secret"], "the app's information has no appid"),
            (["appid": ""], "the app's information has an empty appid"),
            (#"{"AppID":null}"#, "the app's information has an empty appid"),
            ("{\"appid\":\"secret", "the app's information cannot be read: its JSON is invalid at byte 16"),
            (#"{"appid":"secret",}"#, "the app's information cannot be read: its JSON is invalid at byte 18"),
            ("secret", "the app's information cannot be read: its JSON is invalid at byte 0"),
            (#"["secret"]"#, "the app's information cannot be read: it is JSON, but not an object"),
            ("", "the app's information cannot be read: it is empty"),
            (nil, "the app's information cannot be read: it is missing"),
            (7, "the app's information cannot be read: it is not an object"),
        ] as [(MetadataValue, String)])
    func error1007_tellsASyntaxErrorFromAMissingID(appInfo: MetadataValue, text: String) async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(appInfo: appInfo, options: SessionOptions(directory: folder.path))
        await session.waitUntilReady()
        #expect(session.lastError?.code == 1_007 && session.lastError?.text == text)
        await session.finish()
    }

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
            queue.add(SessionNotification(.error, code, ""))
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

    // MARK: Findings

    /// Calls before the identity of the folder is read are queued, and have their findings when they are made.
    @Test func finding_isANotification_alsoOfAQueuedCall() async throws {
        let folder = try TemporaryFolder()
        let listener = Listener()
        var options = SessionOptions(directory: folder.path)
        options.delegate = listener
        let app: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1", "sfcode": "pl"]
        let session = MeasurementSession(appInfo: app, options: options)
        let queued = session.loadMetadata(["type": "preroll", "assetid": "a b"])
        #expect(queued.outcome == .queued || queued.details.count == 1)
        await session.waitUntilReady()
        session.stop(playhead: -1)
        session.sendID3("")
        await session.finish()
        var notices: [SessionNotification] = []
        for await notice in session.notifications where notice.kind == .finding { notices.append(notice) }
        #expect(listener.received.withLock { $0 }.filter { $0.kind == .finding } == notices)
        #expect(notices.allSatisfy { $0.code == 2_201 && $0.timestamp > 0 })
        #expect(notices.map(\.finding?.id) == [.keyAlphabet, .playheadInvalid, .tagEmpty])
        #expect(
            notices.first?.text
                == "key.alphabet assetid `a b`, expected letters, digits, `_`, `-` and `=` "
                + "(guide 000, DCR Poland Video iOS, Ad metadata)")
        #expect(
            notices.last?.text
                == "tag.empty, expected the owner identifier of a PRIV frame (guide 002, 5.4 sendID3)")
        // They do not replace the last error.
        #expect(session.lastError?.code == 3 && session.lastOccurred?.code == 2_002)
        #expect(session.findingDetails.map(\.finding.id) == [.keyAlphabet, .playheadInvalid, .tagEmpty])
    }

    /// Values of a user who has opted out are in no notification.
    @Test func finding_ofAUserWhoHasOptedOut_hasNoValue() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path))
        session.userOptOut("nielsenappsdk://1")
        session.loadMetadata(["type": "Secret"])
        await session.finish()
        var texts: [String] = []
        for await notice in session.notifications where notice.kind == .finding { texts.append(notice.text) }
        #expect(texts.contains { $0.hasPrefix("key.value type, expected") })
        #expect(!texts.joined().contains("Secret"))
    }

    /// Without room, findings are left out before events and errors.
    @Test func findings_withoutRoom_areLeftOutFirst() {
        let count = SessionNotification.maximumWaitingCount
        var waiting: [SessionNotification] = []
        for code in 0..<10 { waiting.add(SessionNotification(.error, code, "")) }
        for _ in 0..<2 * count { waiting.add(SessionNotification(PlayerFinding(.tagEmpty))) }
        #expect(waiting.count == count)
        for code in 10..<20 { waiting.add(SessionNotification(.error, code, "")) }
        #expect(waiting.count == count)
        #expect(waiting.filter { $0.kind == .error }.map(\.code) == Array(0..<20))
    }

    /// Guide 004, "Privacy and opt-out": every app opts its users out.
    @Test(arguments: [("ire", String?.none), ("ire", "discard"), ("ire", "send"), ("no", nil)])
    func app_inIreland_isToldThatNothingIsRecorded(facility: String, choice: String?) async throws {
        let folder = try TemporaryFolder()
        var options = SessionOptions(directory: folder.path)
        if let choice {
            let file = folder.path + "/configuration.json"
            try #"{"optedOut":"\#(choice)","collectors":{"default":"http://127.0.0.1:9/"}}"#
                .write(toFile: file, atomically: true, encoding: .utf8)
            options.configuration = .file(path: file)
        }
        let app: MetadataValue = [
            "appid": "T1", "appname": "App", "appversion": "1", "sfcode": .text(facility),
        ]
        let session = MeasurementSession(appInfo: app, options: options)
        await session.finish()
        var events: [Int] = []
        for await notice in session.notifications where notice.kind == .event { events.append(notice.code) }
        let isTold = facility == "ire" && choice != "send"
        #expect(events == (isTold ? [2_001, 2_102, 2_002] : [2_001, 2_002]))
    }

    @Test func questions_areAnsweredWithTheirValue() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            appInfo: Self.appInfo, options: SessionOptions(directory: folder.path))
        await session.waitUntilReady()
        func answer(_ name: CallName) -> MetadataValue? { session.call(SessionCall(name)).value }
        #expect(answer(.getMeterVersion) == .text(MeasurementSession.meterVersion))
        #expect(answer(.optOutStatus) == false && answer(.optOutURL) == .null)
        #expect(answer(.deviceId) == session.deviceID.map { .text($0) } && answer(.deviceId) != .null)
        #expect(answer(.firstPartyId) == session.firstPartyID.map { .text($0) })
        #expect(answer(.getLastOccurredEvent)?.members?.first?.value == 2_001)
        #expect(answer(.getLastOccurredError) == .null)
        session.sendID3("")
        #expect(answer(.getLastEvent)?.members?.first?.value == 3)
        #expect(answer(.play) == nil && answer(.stop) == nil)
        #expect(session.call(SessionCall(.optOutStatus)).json.contains(#""outcome":"done","value":false,"#))
        await session.finish()
    }
}
