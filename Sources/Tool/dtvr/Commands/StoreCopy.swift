import Foundation
import HostSystem
import TagStore

/// A copy of a store that cannot be written, for a command that only looks: what lies there stays as it is.
///
/// Opening a store writes to it: a log is taken in, a damage mended. Gone with the value.
final class StoreCopy: Sendable {
    /// Where the copy is.
    let directory: String

    /// Copies the store, unless somebody holds it.
    init(of original: String, in temporaryFolder: String) throws(StoreError) {
        directory = "\(temporaryFolder)/dtvr-\(TagID.random().text)"
        do throws(SystemError) {
            if FileManager.default.fileExists(atPath: original + "/lock") {
                let lock = try FileDescriptor(path: original + "/lock", options: [.reading, .noFollow])
                guard lock.tryLock() else {
                    throw SystemError(operation: "flock", path: original, code: EAGAIN)
                }
            }
            try FileSystem.makeDirectory(directory)
            for name in try FileSystem.names(in: original) where name != "lock" && name != "reserve" {
                try Self.copy(original + "/" + name, to: directory + "/" + name)
            }
        } catch {
            if error.code == EAGAIN { throw .inUse(pid: nil) }
            throw .system(error)
        }
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            // The system empties the folder for temporary files by itself.
        }
    }

    private static func copy(_ path: String, to new: String) throws(SystemError) {
        let source = try FileDescriptor(path: path, options: [.reading, .noFollow])
        guard try source.kind() == .regularFile else { return }
        let target = try FileDescriptor(path: new, options: [.writing, .create, .exclusive])
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = try source.read(into: &buffer)
            if count == 0 { return }
            try target.write(buffer.span.extracting(0..<count))
        }
    }
}
