import Foundation
import StreamSynthesis
import TestSupport
import Testing

extension SettingEffectTests {
    /// Creates a stream with some options, and returns the sizes of its files.
    private static func stream(_ path: String, _ options: String...) async throws -> [String: Int] {
        let length = options.contains("--duration") ? [] : ["--duration", "7s"]
        let made = try await Tool.run(arguments: ["synth", path] + length + options)
        #expect(made.status == 0, "\(made.errors)")
        var sizes: [String: Int] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let facts = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            if facts[.type] as? FileAttributeType == .typeRegular { sizes[name] = facts[.size] as? Int }
        }
        return sizes
    }

    static func duration(_ folder: TemporaryFolder) async throws {
        let path = folder.path + "/stream"
        _ = try await stream(path, "--container", "packed-audio", "--duration", "20s")
        let verdict = try await CheckTests.json("--rendition", "audio", path + "/index.m3u8").verdict
        #expect(abs(try #require(verdict["duration"] as? Double) - 20) < 0.1)
    }

    static func container(_ folder: TemporaryFolder) async throws {
        for (container, endings) in [
            ("ts", ["ts"]), ("fmp4", ["m4s", "mp4"]), ("packed-audio", ["aac", "ts"]),
        ] {
            let files = try await stream(folder.path + "/" + container, "--container", container)
            let found = Set(files.keys.compactMap { $0.split(separator: ".").last.map(String.init) })
            #expect(found == Set(endings + ["m3u8"]), "\(container)")
        }
    }

    /// The size of the stream is between 90 % and 130 % of the bit rate.
    static func bitrate(_ folder: TemporaryFolder) async throws {
        for kilobits in [1_000, 4_000] {
            let files = try await stream(folder.path + "/\(kilobits)", "--bitrate", String(kilobits))
            let bits = Double(files.values.reduce(0, +)) * 8 / 7
            #expect((0.9...1.3).contains(bits / Double(kilobits * 1_000)), "\(bits)")
        }
    }

    static func seed(_ folder: TemporaryFolder) async throws {
        var owners: [String] = []
        for (name, seed) in [("one", "7"), ("two", "8"), ("again", "7")] {
            _ = try await stream(folder.path + "/" + name, "--seed", seed, "--container", "packed-audio")
            let text = try await output(
                "scan", "--format", "jsonl", folder.path + "/\(name)/audio/index.m3u8")
            let start = try #require(text.range(of: "www.nielsen.com/"))
            owners.append(String(text[start.lowerBound...].prefix(249)))
        }
        #expect(owners[0] == owners[2] && owners[0] != owners[1])
    }

    static func fault(_ folder: TemporaryFolder) async throws {
        #expect(try await output("synth", "--fault", "list").contains("\ntag.checksum "))
        let path = folder.path + "/stream"
        _ = try await stream(
            path, "--fault", "tag.checksum", "--container", "packed-audio", "--duration", "50s")
        let verdict = try await CheckTests.json("--rendition", "audio", path + "/index.m3u8").verdict
        #expect(CheckTests.statuses(verdict)["tag.checksum"] == "fail")

        #expect(try await output("collect", "--fault", "list").contains("status=CODE"))
        let collector = try await RunningCollector.start(
            folder: folder.path + "/collected", "--fault", "status=400")
        let store = folder.path + "/store"
        #expect(try await status("run", segment, "--store", store, "--collector", collector.url) == 5)
    }

    static func overwrite(_ folder: TemporaryFolder) async throws {
        let path = folder.path + "/full"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = try folder.write("full/notes", "mine".utf8)
        #expect(try await status("synth", path, "--duration", "7s") == 6)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["notes"])
        let files = try await stream(path, "--overwrite")
        #expect(files["notes"] == 4 && files["index.m3u8"] != nil)
    }

    static func live(_ folder: TemporaryFolder) async throws {
        let station = try await RunningStation.start()
        #expect(try await output("scan", station.urls[0]).contains("data"))
        let port = try #require(URL(string: station.urls[0])?.port)
        let other = try await Tool.run("synth", "--live", "\(port)")
        #expect(other.status == 2 && other.errors.contains("cannot listen at 127.0.0.1, port \(port)"))
        #expect(try await status("synth", "--live", "0", folder.path + "/made") == 2)
        #expect(try await status("synth", "--live", "0", "--fault", "time.gap") == 2)
        #expect(try await status("synth", "--live", "0", "--container", "packed-audio") == 2)
        #expect(try await status("synth", "--live", "0", "--duration", "0.1s") == 0)
    }

    static func channels(_ folder: TemporaryFolder) async throws {
        let station = try await RunningStation.start("--channels", "3")
        #expect(station.urls.map { String($0.suffix(15)) } == (1...3).map { "/ch\($0)/index.m3u8" })
        #expect(try await status("synth", "--channels", "3", folder.path + "/made") == 2)
        try await checkedConfiguration(folder)
    }

    static func checkedConfiguration(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("channel-file", "[channel a]\nurl = http://a/b\n".utf8)
        #expect(try await output("monitor", "--channels", file, "--check-config") == "1 channel\n")
    }

    static func connectedConfiguration(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("channel-file", "[channel a]\nurl = http://127.0.0.1:1/b\n".utf8)
        #expect(try await status("monitor", "--channels", file, "--check-config") == 0)
        #expect(try await status("monitor", "--channels", file, "--check-config", "--connect") == 2)
        #expect(try await status("monitor", "--channels", file, "--connect") == 2)
    }

    static func script(_ folder: TemporaryFolder) async throws {
        let file = try folder.write("faults", "# all of it\nat 0s channel *: status 503\n".utf8)
        let station = try await RunningStation.start("--script", file)
        #expect(try await status("scan", station.urls[0]) == 3)
        let broken = try folder.write("broken", "at 0s channel 2: status 503\n".utf8)
        let refused = try await Tool.run("synth", "--live", "0", "--script", broken)
        #expect(
            refused.status == 2
                && refused.errors.contains("\(broken): line 1, column 15: there is no channel 2"))
        #expect(try await status("synth", "--script", file, folder.path + "/made") == 2)
        #expect(try await status("synth", "--live", "0", "--script", folder.path + "/none") == 2)
        #expect(try await output("synth", "--script", "list") == LiveScript.grammar + "\n")
    }
}
