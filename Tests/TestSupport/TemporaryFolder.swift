import Foundation

/// A folder for one test, deleted when the object is deallocated.
public final class TemporaryFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Creates a folder in `TMPDIR`.
    public init() throws {
        path = NSTemporaryDirectory() + "dtvr-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("cannot remove \(path): \(error)")
        }
    }

    /// Writes a file, creates its parent folders, and returns its path.
    @discardableResult
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes a text to a file, creates its parent folders, and returns its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

    /// Writes an executable shell script, and returns its path.
    ///
    /// A copy is made by another process: if another test forks while this one has the script open for writing, the
    /// child inherits the descriptor, and starting the script fails with ETXTBSY.
    public func script(_ name: String, _ text: String) async throws -> String {
        let draft = try write(name + ".draft", "#!/bin/sh\n\(text)\n".utf8)
        let copied = try await FinishedProcess.of(
            "/usr/bin/install", ["-m", "755", draft, "\(path)/\(name)"])
        guard copied.status == 0 else { throw CocoaError(.fileWriteUnknown) }
        return "\(path)/\(name)"
    }
}
