import Glibc

/// A small file system in memory, mounted during the lifetime of the value.
public struct SmallDisk: ~Copyable {
    /// The mount point.
    public let path: String
    private let byteCount: Int

    /// Whether this process may mount file systems.
    public static let isAllowed: Bool = {
        let path = "/tmp/dtvr-small-disk-\(getpid())"
        _ = unsafe mkdir(path, 0o700)
        defer { _ = unsafe rmdir(path) }
        return SmallDisk(at: path, byteCount: 65_536) != nil
    }()

    /// Mounts it over an existing directory; nil if that is not permitted.
    public init?(at path: String, byteCount: Int) {
        // The strings end with a NUL and stay alive during the call, also below.
        guard unsafe mount("none", path, "tmpfs", 0, "size=\(byteCount),mode=0700") == 0 else { return nil }
        self.path = path
        self.byteCount = byteCount
    }

    deinit {
        // A lazy unmount: open files keep the file system until they are closed.
        _ = unsafe umount2(path, 2)
    }

    /// Makes it read-only, or writable again.
    public borrowing func setReadOnly(_ isReadOnly: Bool) {
        let flags: UInt = 32 | (isReadOnly ? 1 : 0)
        let code = unsafe mount("none", path, "tmpfs", flags, "size=\(byteCount),mode=0700")
        precondition(code == 0, "MS_REMOUNT failed")
    }

    /// Fills the disk with one file, except for `rest` bytes.
    public borrowing func fill(leaving rest: Int) {
        // The reported free space is not exact, and other writers use it, too. So this allocates smaller and smaller
        // pieces, down to a page.
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

    /// Frees the space that `fill` used.
    public borrowing func release() {
        _ = unsafe unlink(path + "/filler")
    }

    /// Extends the filler file, and returns whether there was space.
    private borrowing func resizeFiller(by count: Int) -> Bool {
        let file = unsafe open(path + "/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        let end = lseek(file, 0, SEEK_END)
        return count == 0 || posix_fallocate(file, end, off_t(count)) == 0
    }
}
