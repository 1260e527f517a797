import Glibc

/// Room on the disk that is held for the moment when there is none.
///
/// A full disk wedges a database in WAL mode: even a deletion needs room in the log. What the ballast frees is
/// enough for a checkpoint and for the steps that make room inside the database.
struct Ballast: Sendable, Hashable {
    let path: String
    let byteCount: Int

    /// Whether the ballast is there in full.
    var isWhole: Bool { FileDescriptor.byteCount(of: path) == byteCount }

    /// Takes the room, if the disk has that much and the log's as well; false, and none taken, where it has not.
    ///
    /// Without the second condition the next commit would find the disk full again.
    func restore(leaving rest: Int) -> Bool {
        if isWhole { return true }
        guard let available = FileDescriptor.availableByteCount(at: path), available >= byteCount + rest
        else {
            return false
        }
        do throws(StoreError) {
            let file = try FileDescriptor(path: path, flags: O_RDWR | O_CREAT)
            if file.allocate(byteCount) { return true }
            _ = file.truncate(to: 0)
            return false
        } catch {
            return false
        }
    }

    /// Gives the room back to the disk.
    func free() {
        do throws(StoreError) {
            let file = try FileDescriptor(path: path, flags: O_RDWR)
            _ = file.truncate(to: 0)
        } catch {
            // There is none to give back.
        }
    }
}
