import Foundation

extension BenchmarkGroup {
    /// `dtvr scan` and `dtvr check` of folders of transport stream segments, beside `cat` and ffprobe.
    ///
    /// The data: 400 s of 5 Mbit/s in segments of 6 s, made by `dtvr synth`, hard-linked into eight folders, 2 GB in
    /// all, and read once before, so that all of it is in the page cache. Each command runs on one core, in rounds;
    /// `dtvr-2-jobs` and `cat-2-at-once` have two.
    static let scan = BenchmarkGroup(name: "scan", reference: "cat") {
        let data = try ScanData()
        var entries: [Entry] = []
        let commands = data.commands
        var seconds: [String: [Double]] = [:]
        var peaks: [String: CommandRun] = [:]
        for _ in 0..<7 {
            for command in commands {
                let run = try CommandRun(command.words, cores: command.cores)
                seconds[command.name, default: []].append(run.seconds)
                if run.peakMegabytes > peaks[command.name]?.peakMegabytes ?? 0 { peaks[command.name] = run }
            }
        }
        for command in commands {
            entries.append(data.entry(command.name, seconds[command.name] ?? []))
            if let peak = peaks[command.name] {
                entries.append(
                    .noted("peak memory of \(command.name) over \(data.gigabytes) GB: \(peak.peakText)"))
            }
        }
        if let scan = seconds["dtvr"]?.sorted(), let check = seconds["dtvr-check"]?.sorted() {
            let ratio = String(format: "%.2f", check[check.count / 2] / scan[scan.count / 2])
            entries.append(
                .noted("dtvr check takes \(ratio) times as long as dtvr scan of the same folders"))
        }
        let long = try CommandRun(data.longScan)
        entries.append(.noted("peak memory of dtvr over \(data.longGigabytes) GB: \(long.peakText)"))
        let longCheck = try CommandRun(data.longCheck)
        entries.append(
            .noted("peak memory of dtvr-check over \(data.longGigabytes) GB: \(longCheck.peakText)"))
        let bounds = try CommandRun(data.playlistScan)
        entries.append(.noted("peak memory of dtvr over a playlist at its bounds: \(bounds.peakText)"))
        guard let ffprobe = CommandRun.installed("ffprobe") else {
            return entries + [.skipped(name: "ffprobe", reason: "ffprobe is not installed")]
        }
        let joined = try (0..<3).map { _ in try CommandRun(data.ffprobeJoined(ffprobe)).seconds }
        entries.append(data.entry("ffprobe-joined", joined))
        entries.append(data.entry("ffprobe-each", [try CommandRun(data.ffprobeEach(ffprobe)).seconds]))
        return entries
    }
}

/// The files that scans are measured on.
struct ScanData {
    private static let folderCount = 8
    private static let longFolderCount = 40

    private let root: String
    private let tool: String
    private let byteCount: Int

    init() throws {
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        tool = package.appendingPathComponent(".build/release/dtvr").path
        root = package.appendingPathComponent("Benchmarks/data").path
        guard FileManager.default.isExecutableFile(atPath: tool) else {
            throw CommandRun.Failure(description: "\(tool) is missing: swift build -c release --product dtvr")
        }
        let made = "\(root)/made/bulk"
        if !FileManager.default.fileExists(atPath: "\(made)/index.m3u8") {
            try CommandRun([tool, "synth", "--bitrate", "5000", "--duration", "400s", "\(root)/made"])
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: made).filter { $0.hasSuffix(".ts") }
        byteCount = try names.reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(made)/\(name)")
            return sum + (attributes[.size] as? Int ?? 0)
        }
        for index in 0..<Self.longFolderCount {
            let folder = "\(root)/folder\(index)"
            if FileManager.default.fileExists(atPath: folder) { continue }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in names {
                try FileManager.default.linkItem(atPath: "\(made)/\(name)", toPath: "\(folder)/\(name)")
            }
        }
        if !FileManager.default.fileExists(atPath: joinedFile) {
            guard FileManager.default.createFile(atPath: joinedFile, contents: nil) else {
                throw CommandRun.Failure(description: "\(joinedFile) cannot be written")
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: joinedFile))
            try CommandRun(["sh", "-c", "cat \(root)/folder[0-7]/*.ts"], output: file)
            try file.close()
        }
        if !FileManager.default.fileExists(atPath: playlistAtItsBounds) {
            try makePlaylistAtItsBounds(lastSegment: "\(made)/\(names[0])")
        }
        try CommandRun(["sh", "-c", "cat \(root)/folder[0-7]/*.ts"])
    }

    /// Writes a playlist of nearly 16 MiB and 131,072 segments, of which only the last is there.
    ///
    /// Piece by piece: memory that this process has is counted in for the commands that it runs.
    private func makePlaylistAtItsBounds(lastSegment: String) throws {
        guard FileManager.default.createFile(atPath: playlistAtItsBounds, contents: nil) else {
            throw CommandRun.Failure(description: "\(playlistAtItsBounds) cannot be written")
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: playlistAtItsBounds))
        var text = "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:6\n"
        for index in 1..<131_072 {
            let name = "\(index).ts\n"
            let filler = String(repeating: "p", count: 100 - name.utf8.count)
            text += "#EXTINF:6,\n#EXT-X-GAP\n\(filler)/\(name)"
            guard text.utf8.count > 1 << 16 else { continue }
            try file.write(contentsOf: Data(text.utf8))
            text = ""
        }
        text += "#EXTINF:6,\n\(lastSegment)\n#EXT-X-ENDLIST\n"
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private var playlistAtItsBounds: String { "\(root)/bounds.m3u8" }

    private var joinedFile: String { "\(root)/joined.ts" }

    var gigabytes: String { String(format: "%.2f", Double(byteCount * Self.folderCount) / 1e9) }

    var longGigabytes: String { String(format: "%.2f", Double(byteCount * Self.longFolderCount) / 1e9) }

    /// A command, and the cores that it runs on.
    struct Command {
        let name: String
        let words: [String]
        let cores: String
    }

    /// The commands that run in rounds.
    var commands: [Command] {
        var commands = [
            Command(name: "cat", words: cat("\(root)/folder[0-7]/*.ts"), cores: "0"),
            Command(name: "dtvr", words: scan(jobs: 1, folders(Self.folderCount)), cores: "0"),
            Command(name: "dtvr-check", words: check(jobs: 1, folders(Self.folderCount)), cores: "0"),
        ]
        if ProcessInfo.processInfo.activeProcessorCount > 1 {
            let halves = "cat \(root)/folder[0-3]/*.ts & cat \(root)/folder[4-7]/*.ts; wait"
            commands += [
                Command(name: "cat-2-at-once", words: ["sh", "-c", halves], cores: "0,1"),
                Command(name: "dtvr-2-jobs", words: scan(jobs: 2, folders(Self.folderCount)), cores: "0,1"),
            ]
        }
        return commands
    }

    var longScan: [String] { scan(jobs: 1, folders(Self.longFolderCount)) }

    var longCheck: [String] { check(jobs: 1, folders(Self.longFolderCount)) }

    var playlistScan: [String] { scan(jobs: 1, [playlistAtItsBounds]) }

    private func cat(_ pattern: String) -> [String] { ["sh", "-c", "cat \(pattern)"] }

    private func scan(jobs: Int, _ folders: [String]) -> [String] {
        [tool, "scan", "--jobs", "\(jobs)", "--format", "jsonl"] + folders
    }

    private func check(jobs: Int, _ folders: [String]) -> [String] {
        [tool, "check", "--jobs", "\(jobs)", "--format", "json"] + folders
    }

    func ffprobeJoined(_ ffprobe: String) -> [String] { Self.ffprobe(ffprobe) + [joinedFile] }

    func ffprobeEach(_ ffprobe: String) -> [String] {
        let call = Self.ffprobe(ffprobe).joined(separator: " ")
        return ["sh", "-c", "for file in \(root)/folder[0-7]/*.ts; do \(call) $file; done"]
    }

    /// What ffprobe is asked for to see the packets of timed ID3.
    private static func ffprobe(_ path: String) -> [String] {
        [path, "-v", "error", "-select_streams", "d", "-show_packets", "-of", "compact"]
    }

    private func folders(_ count: Int) -> [String] { (0..<count).map { "\(root)/folder\($0)" } }

    /// Seconds as nanoseconds a kilobyte.
    func entry(_ name: String, _ seconds: [Double]) -> Entry {
        let kilobytes = Double(byteCount * Self.folderCount) / 1e3
        return .reported(name: name, nanoseconds: seconds.map { $0 * 1e9 / kilobytes }, byteCount: 1_000)
    }
}
