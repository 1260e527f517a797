import Glibc

/// A file system in memory with little room, mounted while this lives.
public struct SmallDisk: ~Copyable {
    /// Where it is mounted.
    public let path: String
    private let byteCount: Int

    /// Whether this process may mount one.
    public static let isAllowed: Bool = {
        let path = "/tmp/dtvr-small-disk-\(getpid())"
        _ = unsafe mkdir(path, 0o700)
        defer { _ = unsafe rmdir(path) }
        return SmallDisk(at: path, byteCount: 65_536) != nil
    }()

    /// Mounts it over a directory that is there; nil where that is not allowed.
    public init?(at path: String, byteCount: Int) {
        // The texts are lent for the call and end with a NUL; so below.
        guard unsafe mount("none", path, "tmpfs", 0, "size=\(byteCount)") == 0 else { return nil }
        self.path = path
        self.byteCount = byteCount
    }

    deinit {
        // Files that are still open keep it alive until they are closed.
        _ = unsafe umount2(path, 2)
    }

    /// Makes it one that can only be read, or can be written again.
    public borrowing func setReadOnly(_ isReadOnly: Bool) {
        let flags: UInt = 32 | (isReadOnly ? 1 : 0)
        let code = unsafe mount("none", path, "tmpfs", flags, "size=\(byteCount)")
        precondition(code == 0, "MS_REMOUNT failed")
    }

    /// Fills the disk but for so many bytes, with one file.
    public borrowing func fill(leaving rest: Int) {
        // What the system says is free is not exact, and what writes beside this takes of it: in smaller pieces, until
        // not even a page is to be had.
        var piece = Int.max
        while piece >= 4_096 {
            var facts = statvfs()
            let code = unsafe statvfs(path, &facts)
            precondition(code == 0, "statvfs failed")
            let missing = max(0, Int(facts.f_bavail) * Int(facts.f_frsize) - rest)
            piece = min(piece, missing)
            if piece > 0, !resizeFiller(by: piece) { piece /= 2 }
        }
    }

    /// Gives room back.
    public borrowing func release() {
        _ = unsafe unlink(path + "/filler")
    }

    /// Whether there was room for so many bytes more.
    private borrowing func resizeFiller(by count: Int) -> Bool {
        let file = unsafe open(path + "/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        let end = lseek(file, 0, SEEK_END)
        return count == 0 || posix_fallocate(file, end, off_t(count)) == 0
    }
}
