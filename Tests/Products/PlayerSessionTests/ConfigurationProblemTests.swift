import TestSupport
import Testing

@testable import PlayerSession

/// The problems of a configuration that a session reports with the file, the key and the reason.
@Suite(.timeLimit(.minutes(30))) struct ConfigurationProblemTests {
    private static func problems(_ text: String, facility: String = "us") throws -> [String] {
        try SessionConfiguration(json: Array(text.utf8)).problems(for: facility).map { problem in
            #expect(problem.code == .configurationJSON)
            return problem.text
        }
    }

    @Test(arguments: [
        ("{}", "collectors: names no collector, so nothing is delivered"),
        (#"{"collectors":{}}"#, "collectors: names no collector, so nothing is delivered"),
        (
            #"{"collectors":{"it":"https://a/"}}"#,
            #"collectors: has neither "us", the sfcode of the app, nor "default", so nothing is delivered"#
        ),
        (
            #"{"collectors":{"us":"ftp://a/"}}"#,
            #"collectors.us: "ftp://a/" is not an http or https address, so nothing is delivered"#
        ),
        (
            #"{"collectors":{"default":""}}"#,
            #"collectors.default: "" is not an http or https address, so nothing is delivered"#
        ),
    ])
    func configuration_withoutUsableCollector_reportsKeyAndReason(text: String, problem: String) throws {
        #expect(try Self.problems(text) == [problem])
        #expect(try SessionConfiguration(json: Array(text.utf8)).destination(of: "us") == nil)
    }

    @Test func unknownKeys_areReported_andTheRestApplies() throws {
        let text = ##"{"collectors":{"us":"https://a/"},"tokn":"x","Token":"t","a\u0007b":1}"##
        #expect(
            try Self.problems(text) == [
                "tokn: is unknown; the keys are "
                    + "collectors, token, uploadInterval, optOutURL, optedOut, variables, records, withhold",
                "a\u{FFFD}b: is unknown; the keys are "
                    + "collectors, token, uploadInterval, optOutURL, optedOut, variables, records, withhold",
            ])
        #expect(try SessionConfiguration(json: Array(text.utf8)).destination(of: "us")?.token == "t")
        let many = (0..<50_000).map { #""k\#($0)":0"# }.joined(separator: ",")
        let problems = try Self.problems(#"{"collectors":{"us":"https://a/"},\#(many)}"#)
        #expect(problems.count == 9)
        #expect(problems.last == "49992 more keys are unknown")
    }

    @Test(arguments: [
        (#"{"token":5}"#, "token: is not text"), (#"{"collectors":[]}"#, "collectors: is not an object"),
        (#"{"collectors":{"us":1}}"#, "collectors.us: is not text"), ("[]", "it is not a JSON object"),
        (#"{"optedOut":true}"#, #"optedOut: is neither "discard" nor "send""#),
    ])
    func invalidConfiguration_throwsKeyAndReason(text: String, problem: String) {
        #expect(throws: ConfigurationProblem(.configurationJSON, problem)) {
            try SessionConfiguration(json: Array(text.utf8))
        }
    }

    /// The error and the state of the delivery name the file.
    @Test func session_withoutCollectorForItsMarket_reportsError5() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/configuration.json"
        try folder.write("configuration.json", #"{"collectors":{"it":"https://a/"},"tokn":"x"}"#.utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        let session = MeasurementSession(
            appInfo: ["appid": "T1", "appname": "App", "appversion": "1", "sfcode": "us"], options: options)
        #expect(await session.flush())
        try await wait(for: "the errors") { session.lastError?.text.contains("tokn") == true }
        let reason =
            #"\#(file): collectors: has neither "us", the sfcode of the app, nor "default", so nothing is delivered"#
        #expect(session.delivery == SessionDelivery(.off, reason: reason))
        await session.finish()
        var errors: [SessionNotification] = []
        for await notice in session.notifications where notice.kind == .error { errors.append(notice) }
        #expect(errors.map(\.code) == [5, 5] && errors.first?.text == reason)
    }

    /// The first collector of a folder applies, so the other session must report that its own is not used.
    @Test func secondCollector_forTheSameFolder_isAnError() async throws {
        let folder = try TemporaryFolder()
        var sessions: [MeasurementSession] = []
        for port in [9, 10] {
            let file = "configuration-\(port).json"
            try folder.write(file, #"{"collectors":{"us":"http://127.0.0.1:\#(port)/"}}"#.utf8)
            var options = SessionOptions(directory: folder.path + "/store")
            options.configuration = .file(path: folder.path + "/" + file)
            let session = MeasurementSession(
                appInfo: ["appid": "T1", "appname": "App", "appversion": "1"], options: options)
            try await wait(for: "the start") { session.lastEvent?.code == 2_001 }
            sessions.append(session)
        }
        let second = sessions[1]
        try await wait(for: "the error") { second.lastError?.code == 5 }
        #expect(
            second.lastError?.text
                == "collectors: another session of the folder delivers to http://127.0.0.1:9/, so this one is not used"
        )
        for session in sessions { await session.finish() }
    }
}
