import FoundationEssentials
import Glibc

/// The output directory of a stream.
struct OutputDirectory {
    let path: String
    private(set) var files: [SynthesisReport.File] = []
    private var renditions: [String] = []

    /// Creates the directory, or reuses one that is empty or has an earlier output, which is removed.
    init(_ path: String, mayOverwrite: Bool) throws(SynthesisError) {
        self.path = path
        try Self.makeDirectory(path)
        let names = try Self.names(in: path)
        guard !names.isEmpty else { return }
        if Self.isOurs(path + "/index.m3u8") {
            try Self.removeEarlierOutput(path, names)
        } else if !mayOverwrite {
            throw .directoryInUse(path: path)
        }
    }

    /// Writes a file atomically.
    mutating func write(_ bytes: [UInt8], to name: String) throws(SynthesisError) {
        try Self.attempt(path + "/" + name, "writing") {
            try Data(bytes).write(to: URL(fileURLWithPath: $0), options: .atomic)
        }
        files.append(SynthesisReport.File(path: name, byteCount: bytes.count))
    }

    /// Creates the directory of a rendition.
    mutating func makeDirectory(_ name: String) throws(SynthesisError) {
        try Self.makeDirectory(path + "/" + name)
        renditions.append(name)
    }

    /// Removes the written files, and rendition directories that are then empty.
    mutating func removeFiles() throws(SynthesisError) {
        for file in files { try Self.remove(path + "/" + file.path) }
        files = []
        for directory in renditions where try Self.names(in: path + "/" + directory).isEmpty {
            try Self.remove(path + "/" + directory)
        }
    }

    private static func makeDirectory(_ path: String) throws(SynthesisError) {
        try attempt(path, "making the directory") {
            try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: true)
        }
    }

    private static func names(in path: String) throws(SynthesisError) -> [String] {
        try attempt(path, "listing") { try FileManager.default.contentsOfDirectory(atPath: $0) }
    }

    /// Returns whether the playlist exists and was written by an earlier run.
    private static func isOurs(_ playlist: String) -> Bool {
        guard let contents = FileManager.default.contents(atPath: playlist) else { return false }
        return String(decoding: contents, as: UTF8.self).contains(PlaylistText.mark)
    }

    /// Removes all files of an earlier output, but no others.
    private static func removeEarlierOutput(_ path: String, _ names: [String]) throws(SynthesisError) {
        for name in names where isOurs("\(path)/\(name)/index.m3u8") {
            let directory = "\(path)/\(name)"
            for file in try Self.names(in: directory) where isMade(file) {
                try remove("\(directory)/\(file)")
            }
            if try Self.names(in: directory).isEmpty { try remove(directory) }
        }
        try remove(path + "/index.m3u8")
    }

    private static func isMade(_ name: String) -> Bool {
        if name == "index.m3u8" || name == "init.mp4" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].hasPrefix("seg") && parts[0].dropFirst(3).allSatisfy(\.isNumber)
            && ["ts", "m4s", "aac"].contains(parts[1])
    }

    private static func remove(_ path: String) throws(SynthesisError) {
        try attempt(path, "removing") { try FileManager.default.removeItem(atPath: $0) }
    }

    /// Calls Foundation and converts its errors to errors of this module with `errno`.
    private static func attempt<Result>(
        _ path: String, _ operation: String, _ body: (String) throws -> Result
    ) throws(SynthesisError) -> Result {
        do { return try body(path) } catch {
            let underlying = (error as? CocoaError)?.underlying as? POSIXError
            throw .file(path: path, operation: operation, code: underlying?.code.rawValue ?? 0)
        }
    }
}
