import Foundation

extension BenchmarkGroup {
    /// `dtvr certify` of a log, alone and against a stream, beside `jq -c .`; an item is a line of the log.
    static let certify = BenchmarkGroup(name: "certify", reference: "dtvr-certify") {
        let data = try CertifyData()
        var commands = data.commands
        var entries: [Entry] = []
        if let jq = CommandRun.installed("jq") {
            commands.append((name: "jq", words: [jq, "-c", ".", data.log]))
        } else {
            entries.append(.skipped(name: "jq", reason: "jq is not installed"))
        }
        var runs: [String: [CommandRun]] = [:]
        // One round fills the page cache.
        for round in 0...7 {
            for command in commands {
                let run = try CommandRun(command.words)
                if round > 0 { runs[command.name, default: []].append(run) }
            }
        }
        for command in commands {
            let measured = runs[command.name] ?? []
            let nanoseconds = measured.map { $0.seconds * 1e9 / Double(data.lineCount) }
            entries.append(
                .reported(
                    name: command.name, nanoseconds: nanoseconds, byteCount: data.byteCount / data.lineCount))
            if let peak = measured.max(by: { $0.peakMegabytes < $1.peakMegabytes }) {
                entries.append(.noted("peak memory of \(command.name): \(peak.peakText)"))
            }
        }
        return entries + [.noted("\(data.lineCount) lines, \(data.byteCount) bytes")]
    }
}

/// The log of twelve viewers of the same two hours, with a tag every ten seconds and a playhead every two.
private struct CertifyData {
    private static let viewerCount = 12
    private static let duration = 7_200
    /// The presentation time of the first picture of `dtvr synth`.
    private static let start = 10.0

    let log: String
    let lineCount: Int
    let byteCount: Int
    private let tool: String
    private let playlist: String

    init() throws {
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        tool = package.appendingPathComponent(".build/release/dtvr").path
        guard FileManager.default.isExecutableFile(atPath: tool) else {
            throw CommandRun.Failure(description: "\(tool) is missing: swift build -c release --product dtvr")
        }
        let folder = package.appendingPathComponent("Benchmarks/data/certify").path
        playlist = folder + "/index.m3u8"
        log = folder + "/calls.jsonl"
        if !FileManager.default.fileExists(atPath: playlist) {
            try CommandRun([tool, "synth", "--bitrate", "64", "--duration", "\(Self.duration)s", folder])
        }
        let tags = folder + "/tags.jsonl"
        guard FileManager.default.createFile(atPath: tags, contents: nil) else {
            throw CommandRun.Failure(description: "\(tags) cannot be written")
        }
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: tags))
        try CommandRun([tool, "scan", "--format", "jsonl", playlist], output: output)
        try output.close()
        let lines = try Self.calls(of: String(contentsOfFile: tags, encoding: .utf8))
        let text = lines.joined(separator: "\n") + "\n"
        try text.write(toFile: log, atomically: true, encoding: .utf8)
        lineCount = lines.count
        byteCount = text.utf8.count
    }

    var commands: [(name: String, words: [String])] {
        [
            (name: "dtvr-certify", words: [tool, "certify", log]),
            (name: "dtvr-certify-against", words: [tool, "certify", "--against", playlist, log]),
        ]
    }

    /// Returns the calls of the viewers, one after the other.
    private static func calls(of tags: String) throws -> [String] {
        let tags = try tags.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (
                seconds: Int(((object?["seconds"] as? Double ?? 0) - start).rounded(.up)),
                owner: object?["owner"] as? String ?? ""
            )
        }
        let id = "T0000D7A1-0000-4000-8000-00000000D7A1"
        let app = #"{"appid":"\#(id)","appname":"Harbour","appversion":"1","sfcode":"us"}"#
        let metadata = #"""
            {"type":"content","assetid":"HARBOUR_0205","program":"Harbour Lights","title":"The Pier","length":"3600",\#
            "airdate":"20260912 19:30:00","isfullepisode":"y","adloadtype":"1"}
            """#
        var lines: [String] = []
        for viewer in 0..<viewerCount {
            func add(_ seconds: Int, _ name: String, _ argument: String) {
                let at = viewer * duration + seconds
                lines.append(
                    #"{"at":\#(at),"instance":"viewer \#(viewer)","call":"\#(name)","arguments":[\#(argument)]}"#
                )
            }
            add(0, "init", app)
            add(0, "play", #"{"channelName":"Harbour TV","dataSrc":"id3","adModel":"1"}"#)
            add(0, "loadMetadata", metadata)
            var next = 0
            for seconds in stride(from: 2, through: duration, by: 2) {
                while next < tags.count, tags[next].seconds <= seconds || seconds == duration {
                    add(seconds, "sendID3", "\"\(tags[next].owner)\"")
                    next += 1
                }
                add(seconds, "playheadPosition", "\(seconds)")
            }
            add(duration, "end", "\(duration)")
        }
        return lines
    }
}
