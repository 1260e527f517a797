import Foundation

/// A folder of a test's own, which goes away with the value that holds it.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let path: String

    /// Makes one in `TMPDIR`.
    public init() throws {
        path = NSTemporaryDirectory() + "dtvr-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("left behind: \(path): \(error)")
        }
    }

    /// Writes a file, with the folders on its way, and returns its path.
    @discardableResult
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes a text as a file, likewise.
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
