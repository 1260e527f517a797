import Foundation
import Glibc
import HostSystem
import Synchronization
import TestSupport
import Testing

@testable import dtvr

/// `dtvr monitor` and live channels, in real time.
@Suite(.timeLimit(.minutes(30))) struct MonitorTests {
    @Test func monitor_asJSONLines_printsTagsStatesAndASummary_andExitsWith0() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "2")
        let monitor = try RunningMonitor(["--format", "jsonl"] + station.urls, in: folder)
        try await wait(for: "two healthy channels") {
            monitor.lines("state").filter { $0["to"] as? String == "healthy" }.count == 2
        }
        #expect(await monitor.stop(SIGINT) == 0)
        let tags = monitor.lines("tag")
        #expect(tags.count >= 2)
        for line in tags {
            let tag = try #require(line["tag"] as? [String: Any])
            let source = try #require(tag["source"] as? String)
            #expect(station.urls.contains(source))
            let channel = try #require(line["channel"] as? String)
            #expect(channel.hasSuffix(source.contains("/ch1/") ? "ch1-index" : "ch2-index"))
            #expect(line["at"] is String && tag["media_sequence"] is Int && tag["owner"] != nil)
        }
        let summary = try #require(monitor.lines("summary").last)
        #expect(summary["channels"] as? Int == 2 && summary["healthy"] as? Int == 2)
        #expect(summary["tags"] as? Int == tags.count && summary["waiting"] as? Int == tags.count)
        #expect(monitor.errors.contains("no collector is configured"))
        let note = "dtvr: the clock of this machine is not synchronized: "
        #expect(monitor.errors.contains(note) == (SystemClock().isSynchronized == false))
        let status = try await Tool.run("store", "status", "--store", folder.path + "/store")
        #expect(status.output.contains("accepted   \(tags.count)\n"), "\(status.output)")
    }

    @Test func monitor_asText_printsChangesAndNoTags() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let monitor = try RunningMonitor([station.urls[0], "http://127.0.0.1:9/none.m3u8"], in: folder)
        try await wait(for: "both channels") {
            monitor.output.contains("connecting -> healthy")
                && monitor.output.contains("connecting -> unreachable")
        }
        #expect(await monitor.stop() == 0)
        let lines = monitor.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains(" UTC  ") })
        #expect(lines.contains { $0.contains("127-0-0-1-9-none  finding  fail playlist.http: ") })
        #expect(lines.last?.contains("all  summary  2 channels: 1 healthy, 1 unreachable; ") == true)
        #expect(!monitor.output.contains("www.nielsen.com"))
    }

    @Test func channelFile_onSIGHUP_isReloaded_unlessItHasErrors() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "2")
        func write(_ text: String) throws -> String { try folder.write("channels", text.utf8) }
        let one = "[channel one]\nurl = \(station.urls[0])\nheader = X-Token: ${TOKEN}\n"
        let path = try write(one)
        let monitor = try RunningMonitor(
            ["--format", "jsonl", "--channels", path], in: folder, environment: ["TOKEN": "s3cret-value"])
        try await wait(for: "the first channel") {
            monitor.lines("tag").contains { $0["channel"] as? String == "one" }
        }
        _ = try write(one + "[channel two]\nurll = \(station.urls[1])\n")
        monitor.process.signal(SIGHUP)
        try await wait(for: "the fault") { monitor.errors.contains("channels:5: unknown key 'urll'") }
        #expect(monitor.errors.contains("the channels are unchanged"))
        // As if the file were being written.
        _ = try write("")
        monitor.process.signal(SIGHUP)
        try await wait(for: "the empty file") {
            monitor.errors.contains("contains no channel; the channels are unchanged")
        }
        _ = try write("[channel two]\nurl = \(station.urls[1])\n")
        monitor.process.signal(SIGHUP)
        try await wait(for: "the second channel") {
            monitor.lines("tag").contains { $0["channel"] as? String == "two" }
        }
        #expect(await monitor.stop() == 0)
        #expect(monitor.lines("summary").last?["channels"] as? Int == 1)
        // The secret is in no output and no file.
        #expect(!(monitor.output + monitor.errors).contains("s3cret-value"))
        let files = FileManager.default.enumerator(atPath: folder.path + "/store")
        while let name = files?.nextObject() as? String {
            let bytes = FileManager.default.contents(atPath: "\(folder.path)/store/\(name)") ?? Data()
            #expect(bytes.range(of: Data("s3cret-value".utf8)) == nil, "\(name)")
        }
    }

    /// An expired token is not an alert of a channel.
    @Test func collectorThatRefusesEverything_isReportedOnce() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "1")
        let collector = try LoopbackServer(serving: ["/?key=s3cret": .status("401 Unauthorized")])
        defer { collector.stop() }
        let monitor = try RunningMonitor(
            ["--collector", collector.base + "/?key=s3cret"] + station.urls, in: folder)
        try await wait(for: "what the collector answers") {
            monitor.errors.contains("the tags wait in the buffer")
        }
        #expect(await monitor.stop() == 0)
        let lines = monitor.errors.split(separator: "\n").filter {
            $0.contains("the tags wait in the buffer")
        }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains("401") && !$0.contains("s3cret") })
    }

    @Test func monitor_afterAKill_continuesWithoutDuplicateTags() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "2")
        var seen: Set<String> = []
        for round in 1...4 {
            let monitor = try RunningMonitor(["--format", "jsonl"] + station.urls, in: folder)
            try await wait(for: "tags of round \(round)") {
                monitor.lines("tag").count >= (round == 1 ? 4 : 1)
            }
            #expect(await monitor.stop(SIGKILL) != 0)
            for line in monitor.lines("tag") {
                let tag = try #require(line["tag"] as? [String: Any])
                seen.insert("\(tag["source"] ?? "") \(tag["owner"] ?? "")")
            }
        }
        let exported = try await Tool.run("store", "export", "--store", folder.path + "/store")
        let ids = exported.output.split(separator: "\n").compactMap { line -> String? in
            let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
            return object?["id"] as? String
        }
        #expect(Set(ids).count == ids.count)
        // Every printed tag is on the disk.
        #expect(ids.count >= seen.count)
    }

    @Test func serviceManager_isNotifiedOfStart_watchdog_andStop() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let path = folder.path + "/notify"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound)
        let monitor = try RunningMonitor(station.urls, in: folder, environment: ["NOTIFY_SOCKET": path])
        // Messages are read immediately, as a service manager does, because a full queue drops them.
        let told = Mutex<[String]>([])
        let reading = Task {
            try await onOwnThread {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while true {
                    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { return }
                    told.withLock { $0.append(String(decoding: buffer.prefix(count), as: UTF8.self)) }
                }
            }
        }
        try await wait(for: "three signs of life") { told.withLock { $0.count >= 4 } }
        monitor.process.signal(SIGTERM)
        try await wait(for: "the end") { told.withLock { $0.last == "STOPPING=1\n" } }
        shutdown(descriptor, Int32(SHUT_RDWR))
        try await reading.value
        let messages = told.withLock { $0 }
        #expect(messages.first == "READY=1\nSTATUS=1 channel: 1 connecting; 0 tags\n")
        #expect(messages.dropFirst().dropLast().allSatisfy { $0.hasPrefix("WATCHDOG=1\nSTATUS=1 channel: ") })
        #expect(await monitor.process.exitStatus() == 0)
    }

    @Test func tagsRefusedByACollector_areReported() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let collector = try await RunningCollector.start(
            folder: folder.path + "/received", "--fault", "poison=1")
        let monitor = try RunningMonitor(["--collector", collector.url] + station.urls, in: folder)
        try await wait(for: "a dead letter") { monitor.errors.contains("permanently refused") }
        #expect(await monitor.stop() == 0)
        await collector.stop()
    }

    @Test func terminal_showsATableThatFits() async throws {
        let station = try await RunningStation.start("--channels", "30")
        let folder = try TemporaryFolder()
        let shown = try await PseudoTerminal.run(
            width: 90, ["monitor", "--store", folder.path + "/store"] + station.urls, stoppingAfter: 10)
        #expect(shown.status == 0)
        let plain = shown.lines.map { $0.replacing(/\u{1B}\[[0-9]*[A-Z]/, with: "") }
        #expect(plain.contains { $0.hasPrefix("CHANNEL  ") && $0.hasSuffix("WHY") })
        #expect(plain.contains { $0.contains("ch1-index  healthy") })
        #expect(plain.contains { $0.hasPrefix("… and ") && $0.contains(" more: ") })
        #expect(plain.contains { $0.hasPrefix("30 channels: ") })
        #expect(plain.allSatisfy { $0.count <= 90 })
    }

    @Test func table_fitsATerminalThatShrinks() async throws {
        let station = try await RunningStation.start("--channels", "3")
        let folder = try TemporaryFolder()
        let shown = try await PseudoTerminal.run(
            width: 120, ["monitor", "--store", folder.path + "/store"] + station.urls, stoppingAfter: 10,
            resizingTo: 60)
        let plain = shown.lines.map { $0.replacing(/\u{1B}\[[0-9]*[A-Z]/, with: "") }
        let heads = plain.filter { $0.hasPrefix("CHANNEL  ") }
        #expect(try #require(heads.first).count > 60)
        #expect(try #require(heads.last).count <= 60)
    }

    /// A closed terminal sends SIGHUP, which otherwise reloads the channel file.
    @Test func sighup_endsTheMonitor_onlyIfTheTerminalIsClosed() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let path = try folder.write("channels", "[channel one]\nurl = \(station.urls[0])\n".utf8)
        let terminal = try PseudoTerminal(width: 80)
        let monitor = try RunningMonitor(["--channels", path], in: folder, output: terminal.output)
        try terminal.output.close()
        try await wait(for: "the start") {
            terminal.readAll()
            return monitor.errors.contains("no collector is configured")
        }
        monitor.process.signal(SIGHUP)
        try await wait(for: "the file") {
            terminal.readAll()
            return monitor.errors.contains("reloaded, 1 channel")
        }
        #expect(!monitor.process.hasEnded)
        try terminal.controller.close()
        // A program that another test starts may have the terminal open for a moment.
        try await wait(for: "the end") {
            if monitor.process.hasEnded { return true }
            monitor.process.signal(SIGHUP)
            return false
        }
        // The end of the table could not be written.
        #expect(try await monitor.process.exitStatus(within: .seconds(120)) == 6)
        #expect(monitor.errors.contains("standard output cannot be written"))
    }

    @Test func bufferSize_followsTheChannelCount_unlessSet() async throws {
        let folder = try TemporaryFolder()
        let size = BufferSize(channelCount: 3, folder: folder.path + "/none/deeper", limit: nil)
        #expect(size.byteCount == 90_000_000)
        #expect(size.text.contains("90.0 MB, about 10 days of tags from 3 channels"))
        let limited = BufferSize(channelCount: 100, folder: folder.path, limit: 30_000_000)
        #expect(limited.byteCount == 30_000_000)
        #expect(limited.text.contains("about 2 hours of tags from 100 channels"))
        // More than the space on any disk.
        let free = BufferSize(channelCount: 100_000_000, folder: folder.path, limit: nil).byteCount
        #expect(free < 100_000_000 * 30_000_000 && free > 2_000_000)
    }

    @Test(arguments: [1, 3]) func monitorBufferSize_followsTheChannelCount(count: Int) async throws {
        let folder = try TemporaryFolder()
        let urls = (1...count).map { "http://127.0.0.1:9/\($0).m3u8" }
        let monitor = try await RunningMonitor.start(urls, in: folder)
        let metrics = try await monitor.answer(to: "metrics").text
        #expect(metrics.contains("\ndtvr_buffer_max_bytes \(count * 30_000_000)\n"))
        #expect(await monitor.stop() == 0)
    }

    /// The variant that the flag selects is requested, and no other one.
    @Test(arguments: [("lowest", "/low.m3u8", "/high.m3u8"), ("highest", "/high.m3u8", "/low.m3u8")])
    func monitor_withAChosenRendition_loadsOnlyThatOne(choice: String, read: String, other: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let playlist = """
            #EXTM3U
            #EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=160x90
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=9000,RESOLUTION=640x360
            high.m3u8

            """
        let media = EndlessInputTests.playlist(["a.ts"]).replacing("#EXT-X-ENDLIST", with: "")
        let server = try LoopbackServer(serving: [
            "/index.m3u8": ServedResource(playlist), "/low.m3u8": ServedResource(media),
            "/high.m3u8": ServedResource(media),
        ])
        defer { server.stop() }
        let monitor = try RunningMonitor(
            ["--rendition", choice, server.base + "/index.m3u8"], in: folder)
        // Segments are requested only after every playlist.
        try await wait(for: "a segment") { server.wasAsked(for: "/a.ts") }
        #expect(await monitor.stop() == 0)
        #expect(server.wasAsked(for: read) && !server.wasAsked(for: other))
    }

    /// The settings whose effect shows while a monitor runs: for `SettingEffectTests` and `LimitEffectTests`.
    @Test func silenceLimit_determinesWhenAChannelIsSilent() async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write("script", "at 0s channel 1: no-tags\n".utf8)
        let station = try await RunningStation.start("--script", script)
        let monitor = try RunningMonitor(
            ["--format", "jsonl", "--limit-silence", "2s"] + station.urls, in: folder)
        try await wait(for: "the silence") {
            monitor.lines("alert").contains { $0["check"] as? String == "presence.silent" }
        }
        #expect(monitor.lines("state").last?["to"] as? String == "silent")
        let alert = try #require(monitor.lines("alert").first)
        let detail = try #require(alert["detail"] as? String)
        #expect(detail.contains("the limit is 2 s"))
        #expect(await monitor.stop() == 0)
    }
}
