import Foundation

extension BenchmarkGroup {
    /// `dtvr scan` and `dtvr check` of files that were written in large pieces, as by a copy.
    static let scan = BenchmarkGroup(name: "scan", reference: "cat") {
        let data = try ScanData(writtenIn: .largePieces)
        return try compared(data) + memory(data)
    }

    /// The same for files that were written in small pieces, as by a packager or a download.
    ///
    /// The page cache stores such files in units of another size, which changes the speed of reading them.
    static let scanOfSmallPieces = BenchmarkGroup(name: "scan-small-pieces", reference: "cat") {
        try compared(ScanData(writtenIn: .smallPieces))
    }

    /// Compares `dtvr` with `cat` and ffprobe.
    ///
    /// The commands run in rounds, on one core each; `dtvr-2-jobs` and `cat-2-at-once` have two.
    private static func compared(_ data: ScanData) throws -> [Entry] {
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
        let medians = seconds.mapValues { $0.sorted()[$0.count / 2] }
        for (name, reference, text) in [
            ("cat", "dtvr", "the speed of dtvr scan relative to cat"),
            ("cat", "dtvr-2-jobs", "the speed of dtvr scan with two jobs relative to cat"),
            ("dtvr-2-jobs", "dtvr", "the time of two jobs relative to one"),
            ("dtvr-check", "dtvr", "the time of dtvr check relative to dtvr scan"),
        ] {
            guard let first = medians[name], let second = medians[reference] else { continue }
            entries.append(.noted("\(text): \(String(format: "%.2f", first / second))"))
        }
        guard let ffprobe = CommandRun.installed("ffprobe") else {
            return entries + [.skipped(name: "ffprobe", reason: "ffprobe is not installed")]
        }
        let joined = try (0..<3).map { _ in try CommandRun(data.ffprobeJoined(ffprobe)).seconds }
        entries.append(data.entry("ffprobe-joined", joined))
        entries.append(data.entry("ffprobe-each", [try CommandRun(data.ffprobeEach(ffprobe)).seconds]))
        return entries
    }

    /// Measures the memory of `dtvr` for many files, and for a playlist at the limits.
    private static func memory(_ data: ScanData) throws -> [Entry] {
        try [
            ("dtvr over \(data.longGigabytes) GB", data.longScan),
            ("dtvr-check over \(data.longGigabytes) GB", data.longCheck),
            ("dtvr over a playlist at the limits", data.playlistScan),
        ].map { name, command in
            .noted("peak memory of \(name): \(try CommandRun(command).peakText)")
        }
    }
}

/// The input files of the scan benchmarks: 400 s of 5 Mbit/s in segments of 6 s from `dtvr synth`.
///
/// Eight folders have copies of them, 2 GB in all. They are read once before the measurement, to fill the page cache.
struct ScanData {
    /// The way of writing the copies.
    enum Writing: String {
        case smallPieces = "small-pieces"
        case largePieces = "large-pieces"

        /// The number of bytes per write.
        var byteCount: Int {
            switch self {
            case .smallPieces: 4 << 10
            case .largePieces: 4 << 20
            }
        }
    }

    private static let folderCount = 8
    private static let longFolderCount = 40

    private let root: String
    private let tool: String
    private let byteCount: Int
    private let writing: Writing

    init(writtenIn writing: Writing) throws {
        self.writing = writing
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
        for index in 0..<Self.folderCount {
            try makeFolder(at: folder(index)) { name in
                try Self.write("\(made)/\(name)", to: "\(folder(index))/\(name)", writing)
            }
        }
        // Further folders have links, because 10 GB might not stay in the page cache.
        for index in Self.folderCount..<Self.longFolderCount {
            try makeFolder(at: folder(index)) { name in
                let original = "\(folder(index % Self.folderCount))/\(name)"
                try FileManager.default.linkItem(atPath: original, toPath: "\(folder(index))/\(name)")
            }
        }
        func makeFolder(at path: String, _ make: (String) throws -> Void) throws {
            if FileManager.default.fileExists(atPath: path) { return }
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for name in names { try make(name) }
        }
        if !FileManager.default.fileExists(atPath: joinedFile) {
            guard FileManager.default.createFile(atPath: joinedFile, contents: nil) else {
                throw CommandRun.Failure(description: "\(joinedFile) cannot be written")
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: joinedFile))
            try CommandRun(["sh", "-c", "cat \(measuredFiles)"], output: file)
            try file.close()
        }
        if !FileManager.default.fileExists(atPath: playlistAtItsBounds) {
            try makePlaylistAtItsBounds(lastSegment: "\(made)/\(names[0])")
        }
        try CommandRun(["sh", "-c", "cat \(measuredFiles)"])
    }

    private static func write(_ original: String, to path: String, _ writing: Writing) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original))
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw CommandRun.Failure(description: "\(path) cannot be written")
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for start in stride(from: 0, to: bytes.count, by: writing.byteCount) {
            try file.write(contentsOf: bytes[start..<min(bytes.count, start + writing.byteCount)])
        }
        try file.close()
    }

    /// Writes a playlist of nearly 16 MiB and 131,072 segments, where only the last segment exists.
    ///
    /// It writes in pieces, because the memory of this process counts into the peak of the commands that it runs.
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

    private func folder(_ index: Int) -> String { "\(root)/\(writing.rawValue)/\(index)" }

    /// A shell pattern for the files in the measured folders.
    private var measuredFiles: String { "\(root)/\(writing.rawValue)/[0-7]/*.ts" }

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
            Command(name: "cat", words: ["sh", "-c", "cat \(measuredFiles)"], cores: "0"),
            Command(name: "dtvr", words: scan(jobs: 1, folders(Self.folderCount)), cores: "0"),
            Command(name: "dtvr-check", words: check(jobs: 1, folders(Self.folderCount)), cores: "0"),
        ]
        if ProcessInfo.processInfo.activeProcessorCount > 1 {
            let parent = "\(root)/\(writing.rawValue)"
            let halves = "cat \(parent)/[0-3]/*.ts & cat \(parent)/[4-7]/*.ts; wait"
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

    private func scan(jobs: Int, _ folders: [String]) -> [String] {
        [tool, "scan", "--jobs", "\(jobs)", "--format", "jsonl"] + folders
    }

    private func check(jobs: Int, _ folders: [String]) -> [String] {
        [tool, "check", "--jobs", "\(jobs)", "--format", "json"] + folders
    }

    func ffprobeJoined(_ ffprobe: String) -> [String] { Self.ffprobe(ffprobe) + [joinedFile] }

    func ffprobeEach(_ ffprobe: String) -> [String] {
        let call = Self.ffprobe(ffprobe).joined(separator: " ")
        return ["sh", "-c", "for file in \(measuredFiles); do \(call) $file; done"]
    }

    /// Returns the ffprobe command that shows the packets of timed ID3.
    private static func ffprobe(_ path: String) -> [String] {
        [path, "-v", "error", "-select_streams", "d", "-show_packets", "-of", "compact"]
    }

    private func folders(_ count: Int) -> [String] { (0..<count).map { folder($0) } }

    /// Returns an entry with the seconds converted to nanoseconds per kilobyte.
    func entry(_ name: String, _ seconds: [Double]) -> Entry {
        let kilobytes = Double(byteCount * Self.folderCount) / 1e3
        return .reported(name: name, nanoseconds: seconds.map { $0 * 1e9 / kilobytes }, byteCount: 1_000)
    }
}
