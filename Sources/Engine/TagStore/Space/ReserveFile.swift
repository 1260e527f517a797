internal import HostSystem

/// A file that reserves disk space for use when the disk is full.
///
/// A full disk blocks a database in WAL mode, because even a deletion needs space in the log. The reserve frees enough
/// space for a checkpoint and for the steps that make room inside the database.
struct ReserveFile: Sendable, Hashable {
    let path: String
    let byteCount: Int

    /// Whether the file has its full size.
    var isComplete: Bool { FileSystem.byteCount(of: path) == byteCount }

    /// Allocates the file; returns false without using any space if the disk has too little.
    func restore() -> Bool {
        if isComplete { return true }
        let held = FileSystem.byteCount(of: path) ?? 0
        guard let available = FileSystem.availableByteCount(at: path), available + held >= byteCount else {
            return false
        }
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, options: [.readingAndWriting, .create, .noFollow])
            do throws(SystemError) {
                try file.truncate(to: 0)
                try file.allocate(byteCount)
                return true
            } catch {
                try file.truncate(to: 0)
                return false
            }
        } catch {
            return false
        }
    }

    /// Frees the space.
    func free() {
        do throws(SystemError) {
            try FileDescriptor(path: path, options: [.readingAndWriting, .noFollow]).truncate(to: 0)
        } catch {
            // There is no space to free.
        }
    }
}
