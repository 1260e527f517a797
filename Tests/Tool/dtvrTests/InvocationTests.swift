import Testing
import TextForms

@testable import dtvr

@Suite struct InvocationTests {
    private static func parse(_ arguments: String...) throws(UsageError) -> Invocation.Request {
        try Invocation.parse(arguments, environment: [:]) { (_) throws(UsageError) in nil }
    }

    private static func message(_ arguments: String...) -> String? {
        do throws(UsageError) {
            _ = try Invocation.parse(arguments, environment: [:]) { (_) throws(UsageError) in nil }
            return nil
        } catch {
            return error.message
        }
    }

    @Test func invalidCall_namesTheError() {
        #expect(Self.message() == "no command given")
        #expect(Self.message("scam") == "there is no command 'scam'; did you mean 'scan'?")
        #expect(Self.message("--foo") == "there is no option '--foo'")
        #expect(Self.message("help", "scam") == "there is no command 'scam'; did you mean 'scan'?")
        #expect(Self.message("scan", "--foo", "x") == "there is no option '--foo' for 'scan'")
        #expect(Self.message("scan", "-f", "x") == "there is no option '-f' for 'scan'")
        #expect(Self.message("scan", "--collector", "x") == "there is no option '--collector' for 'scan'")
        #expect(
            Self.message("run", "--max-age", "100y")
                == "--max-age takes a time such as 90s, 15m, 36h or 10d, not '100y'")
        #expect(
            Self.message("run", "--max-age", "0") == "--max-age takes a time from 0.001s to 3650d, not '0'")
        #expect(
            Self.message("run", "--max-bytes", "1kB")
                == "--max-bytes takes a size from 2.0 MB to 1.0 TB, not '1kB'")
        #expect(Self.message("scan", "--format") == "--format needs a value")
        #expect(
            Self.message("run", "--max-age", "soon")
                == "--max-age takes a time such as 90s, 15m, 36h or 10d, not 'soon'")
    }

    @Test func operands_afterADoubleDash_mayLookLikeOptions() throws {
        guard case .perform(let call) = try Self.parse("scan", "-", "a", "--", "--format", "-x") else {
            Issue.record("not a call")
            return
        }
        #expect(call.operands == ["-", "a", "--format", "-x"])
        #expect(call[.format] == "text")
    }

    @Test func help_inEachForm_isRecognized() throws {
        for arguments in [["scan", "--help"], ["scan", "x", "-h"], ["help", "scan"], ["--help", "scan"]] {
            let request = try Invocation.parse(arguments, environment: [:]) { (_) throws(UsageError) in nil }
            guard case .help(let command?) = request, command.name == "scan" else {
                Issue.record("\(arguments)")
                continue
            }
        }
        guard case .help(nil) = try Self.parse("--help") else {
            Issue.record("--help")
            return
        }
    }

    @Test func configurationFile_withAnError_namesTheLine() {
        let faults: [(text: String, line: Int, message: String)] = [
            ("# good\nmax-age = 3d\nmax-aeg = 3d", 3, "unknown key 'max-aeg'; did you mean 'max-age'?"),
            ("max-age", 1, "not of the form key = value: max-age"),
            ("\n[channel]", 2, "sections are not supported: [channel]"),
            ("jobs = 0", 1, "jobs takes a whole number from 1 to 256, not '0'"),
            ("color = blue", 1, "color takes one of auto, always, never, not 'blue'"),
            // No command accepts this value: the message lists the values of all commands.
            (
                "format = xml", 1,
                "format takes one of text, jsonl, csv, json, html, junit, sarif, github, not 'xml'"
            ),
            ("channels =", 1, "channels must not be empty"),
            (
                "config = other", 1,
                "unknown key 'config'; did you mean 'check-config' or 'player-config'?"
            ),
        ]
        for fault in faults {
            let error = #expect(throws: ConfigurationText.Fault.self) {
                try ConfigurationFile(parsing: fault.text)
            }
            #expect(error == .init(line: fault.line, message: fault.message))
        }
    }

    @Test func configurationFile_keepsAHashInsideAValue() throws {
        let file = try ConfigurationFile(
            parsing: "  collector =  http://c/#x  # the collector\r\n#store = /no\n")
        #expect(file.values == ["collector": "http://c/#x"])
    }

    @Test func missingConfigurationFile_isAnErrorOnlyIfNamed() throws {
        _ = try Invocation.parse(["tag"], environment: ["HOME": "/h"]) { (_) throws(UsageError) in nil }
        let error = #expect(throws: UsageError.self) {
            try Invocation.parse(["tag", "--config", "/f"], environment: [:]) { (_) throws(UsageError) in nil
            }
        }
        #expect(error?.message == "cannot read the configuration file '/f'")
    }

    @Test func durations_inEachUnit_areSeconds() {
        let texts = ["90": 90, "90s": 90, "15m": 900, "36h": 129_600, "10d": 864_000, "1.5h": 5_400]
        for (text, seconds) in texts { #expect(DurationText.seconds(text) == Double(seconds)) }
        for text in ["", "s", "-1s", "1w", "1e3", "inf", "nan", "1 h", "99999999999d"] {
            #expect(DurationText.seconds(text) == nil, "\(text)")
        }
    }

    @Test func sizes_inEachUnit_areBytes() {
        let texts = [
            "0": 0, "30000000": 30_000_000, "30MB": 30_000_000, "28MiB": 29_360_128, "1k": 1_000, "5b": 5,
        ]
        for (text, bytes) in texts { #expect(ByteCountText.bytes(text) == bytes) }
        for text in ["", "MB", "-1", "1.5MB", "99999999999999999999", "9999999999GiB"] {
            #expect(ByteCountText.bytes(text) == nil, "\(text)")
        }
        #expect(ByteCountText.text(999) == "999 B")
        #expect(ByteCountText.text(29_600_000) == "29.6 MB")
    }
}
