import Foundation

/// A directory of its own that is gone with the value.
final class ScratchDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "dtvr-synthesis-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            print("left behind: \(path): \(error)")
        }
    }
}
