internal import HostSystem

/// Room on the disk that is held for the moment when there is none.
///
/// A full disk wedges a database in WAL mode: even a deletion needs room in the log. What the reserve frees is enough
/// for a checkpoint and for the steps that make room inside the database.
struct ReserveFile: Sendable, Hashable {
    let path: String
    let byteCount: Int

    /// Whether all of it is there.
    var isComplete: Bool { FileSystem.byteCount(of: path) == byteCount }

    /// Takes the room, if the disk has that much; false, and none taken, where it has not.
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

    /// Gives the room back to the disk.
    func free() {
        do throws(SystemError) {
            try FileDescriptor(path: path, options: [.readingAndWriting, .noFollow]).truncate(to: 0)
        } catch {
            // There is none to give back.
        }
    }
}
