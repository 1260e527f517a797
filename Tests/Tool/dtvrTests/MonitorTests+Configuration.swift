import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import dtvr

/// `dtvr monitor --check-config`, and invalid calls.
extension MonitorTests {
    @Test func checkConfig_printsTheChannelCountOrTheErrors() async throws {
        let folder = try TemporaryFolder()
        let good = try folder.write(
            "good", "[channel a]\nurl = http://a/b\n[channel b]\nurl = http://a/c\n".utf8)
        let result = try await Tool.run("monitor", "--channels", good, "--check-config")
        #expect(result.status == 0 && result.output == "2 channels\n")
        for (text, message) in [
            ("[channel a]\nurl = b\n", ":2: url takes an http or https address"),
            ("[channel a]\n", ":1: the channel 'a' has no url"),
        ] {
            let bad = try folder.write("bad", text.utf8)
            let result = try await Tool.run("monitor", "--channels", bad, "--check-config")
            #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
        }
        let several = try folder.write(
            "several",
            "[channel a]\nurl = b\nlimit-gap = x\n[channel c]\nurl = http://c/\n[channel d]\nurl = http://c/\n"
                .utf8)
        let all = try await Tool.run("monitor", "--channels", several, "--check-config")
        let lines = all.errors.split(separator: "\n").map(String.init)
        let expected = [
            "2: url takes an http or https address", "3: limit-gap takes a time such as 12s or 15m, not 'x'",
            "6: the channels 'c' and 'd' have the same url",
        ]
        #expect(all.status == 2 && lines == expected.map { "dtvr: \(several):\($0)" }, "\(all.errors)")
        // The file as installed: it is valid, but contains no channel to follow.
        let empty = try folder.write("empty", "# [channel a]\n".utf8)
        let found = try await Tool.run("monitor", "--channels", empty, "--check-config")
        #expect(found.status == 0 && found.output == "0 channels\n")
        let started = try await Tool.run("monitor", "--channels", empty)
        #expect(started.status == 2 && started.errors.contains("contains no channel"))
        let none = try await Tool.run("monitor", "--channels", folder.path + "/none", "--check-config")
        #expect(none.status == 2 && none.errors.contains("cannot read the channel file"))
    }

    @Test func checkConfig_thatConnects_namesChannelsThatCannotBeLoaded() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "1")
        let url = station.urls[0]
        let text =
            "[channel a]\nurl = \(url)\n[channel b]\nurl = \(url)?b\nrendition = none.m3u8\n"
            + "[channel c]\nurl = \(url)/none?s3cret\n"
        let path = try folder.write("channels", text.utf8)
        let result = try await Tool.run("monitor", "--channels", path, "--check-config", "--connect")
        #expect(result.status == 2 && !result.errors.contains("s3cret"))
        let lines = result.errors.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("dtvr: [channel c] url: ") }, "\(result.errors)")
        #expect(!lines.contains { $0.contains("[channel a]") }, "\(result.errors)")
    }

    /// The demonstration stream, served as a live channel, has the renditions v360, v540 and audio.
    @Test func checkConfig_thatConnects_namesARenditionThatThePlaylistLacks() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { request in
            let path = Tool.demo + request.target.prefix { $0 != "?" }
            guard let data = FileManager.default.contents(atPath: path) else {
                return ServedResource.status("404 Not Found").answer(to: request)
            }
            return ServedResource(Array(data)).answer(to: request)
        }
        defer { server.stop() }
        let url = "\(server.base)/index.m3u8"
        let renditions = ["v360/index.m3u8", "audio", "none.m3u8?s3cret", "all"]
        let text = renditions.enumerated().map { index, rendition in
            "[channel \(index)]\nurl = \(url)?\(index)\nrendition = \(rendition)\n"
        }
        let path = try folder.write("channels", text.joined().utf8)
        let result = try await Tool.run("monitor", "--channels", path, "--check-config", "--connect")
        #expect(result.status == 2)
        let lines = result.errors.split(separator: "\n")
        #expect(
            lines == ["dtvr: [channel 2] url: has no rendition 'none.m3u8?…'"], "\(result.errors)")
    }

    @Test func checkConfig_thatConnects_showsItsProgressOnATerminal() async throws {
        let folder = try TemporaryFolder()
        let text = (1...3).map { "[channel \($0)]\nurl = http://127.0.0.1:1/\($0)\n" }.joined()
        let path = try folder.write("channels", text.utf8)
        let call = ["monitor", "--channels", path, "--check-config", "--connect"]
        let shown = try await PseudoTerminal.run(width: 80, call, showsErrors: true)
        #expect(shown.status == 2)
        #expect(shown.lines.joined().contains("Loading ████████░░░░░░░░░░░░░░░░ 33 %  1 of 3 channels"))
    }

    @Test(arguments: [
        (["monitor"], "no channel given"), (["monitor", "main.m3u8"], "needs an http or https address"),
        (["monitor", "--channels", "x", "http://a/b"], "unexpected argument"),
        (["monitor", "--format", "csv", "http://a/b"], "takes one of text, jsonl"),
        (["monitor", "--channels", ""], "--channels"),
    ])
    func invalidMonitorCall_exitsWith2(call: [String], message: String) async throws {
        let result = try await Tool.run(arguments: call)
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
    }

    /// A token that the collector refuses is replaced, and the tags that waited are sent at once.
    @Test(.timeLimit(.minutes(30)), arguments: [true, false])
    func tokenFileOfTheCollector_onSIGHUP_isReadAgain(hasChannelFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let right = try folder.write("right", "second\n")
        let collector = try await RunningCollector.start(
            folder: folder.path + "/collected", "--token-file", right)
        let token = try folder.write("token", "first\n")
        let list = try folder.write("channels", "[channel one]\nurl = \(station.urls[0])\n")
        let monitor = try RunningMonitor(
            ["--collector", collector.url, "--token-file", token]
                + (hasChannelFile ? ["--channels", list] : station.urls), in: folder)
        try await wait(for: "the refusal") { monitor.errors.contains("the tags wait in the buffer") }
        // A file with an error changes nothing.
        try folder.write("token", "\n")
        monitor.process.signal(SIGHUP)
        try await wait(for: "the message") {
            monitor.errors.contains("the token is unchanged") || monitor.process.hasEnded
        }
        #expect(try await collector.status(token: "second")["accepted"] as? Int == 0)
        try folder.write("token", "second\n")
        monitor.process.signal(SIGHUP)
        try await wait(
            for: "the tags",
            asking: { [process = monitor.process] in
                try await collector.status(token: "second")["accepted"] as? Int ?? 0 > 0 || process.hasEnded
            })
        try await wait(for: "the message") {
            monitor.errors.contains("delivering again") || monitor.process.hasEnded
        }
        #expect(await monitor.stop() == 0)
    }
}
