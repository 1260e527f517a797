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

    /// Takes the room, if the disk has that much and the log's as well; false, and none taken, where it has not.
    ///
    /// Without the second condition the next commit would find the disk full again.
    func restore(leaving rest: Int) -> Bool {
        if isComplete { return true }
        guard let available = FileSystem.availableByteCount(at: path), available >= byteCount + rest else {
            return false
        }
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, options: [.readingAndWriting, .create])
            do throws(SystemError) {
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
            try FileDescriptor(path: path, options: .readingAndWriting).truncate(to: 0)
        } catch {
            // There is none to give back.
        }
    }
}
