import Foundation
import TestSupport

/// The reference files that tests read in place: at `DTVR_CORPUS`, or beside the package.
enum CorpusFiles {
    static let root = URL(fileURLWithPath: Project.corpus ?? "/nonexistent", isDirectory: true)

    static var isPresent: Bool { FileManager.default.fileExists(atPath: root.path) }

    /// Returns the sorted paths, relative to the root, of the files whose names end in `suffix`.
    static func paths(endingIn suffix: String, under folder: String = "") -> [String] {
        let base = root.appendingPathComponent(folder)
        guard let all = FileManager.default.subpaths(atPath: base.path) else { return [] }
        return all.filter { $0.hasSuffix(suffix) }.map { folder.isEmpty ? $0 : folder + "/" + $0 }.sorted()
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
    }

    /// Returns the results of trusted readers for a file.
    static func truth(_ path: String) throws -> [String: Any] {
        let data = try Data(contentsOf: root.appendingPathComponent(path + ".truth.json"))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }
}
