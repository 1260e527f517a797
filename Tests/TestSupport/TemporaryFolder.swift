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
}
