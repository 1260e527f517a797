internal import CDTVRStat
import Glibc

/// The identity of a file while it exists, independent of its paths.
package struct FileIdentity: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
}

/// File system operations on paths.
package enum FileSystem {
    /// Returns the kind of file at a path; follows symbolic links.
    package static func kind(of path: String) throws(SystemError) -> FileDescriptor.Kind {
        FileDescriptor.Kind(try facts(of: path))
    }

    /// Returns the size of a file in bytes, or nil if it does not exist.
    package static func byteCount(of path: String) -> Int? {
        var facts = stat()
        // The path is borrowed for the call and zero-terminated, and the call writes only to the structure. The same
        // applies to the calls below.
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return Int(facts.st_size)
    }

    /// Returns the last modification time of a file since 1970, or nil if it does not exist.
    package static func modificationTime(of path: String) -> Duration? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return .seconds(facts.st_mtim.tv_sec) + .nanoseconds(facts.st_mtim.tv_nsec)
    }

    /// Returns the identity of the file at a path, or nil if it does not exist; follows symbolic links.
    ///
    /// Unlike other queries, it does not make the next write to the file slower.
    package static func identity(of path: String) -> FileIdentity? {
        var facts = dtvr_identity()
        // An empty path, which has no file, would be that of the descriptor.
        guard !path.isEmpty else { return nil }
        // The path is borrowed for the call.
        if unsafe dtvr_identify(AT_FDCWD, path, &facts) == 0 {
            return FileIdentity(device: facts.device, inode: facts.inode)
        }
        var slow = stat()
        guard isStatxRefused(errno), unsafe stat(path, &slow) == 0 else { return nil }
        return FileIdentity(device: UInt64(slow.st_dev), inode: UInt64(slow.st_ino))
    }

    /// Returns whether an error means that the system has no statx, or that a seccomp profile refuses it.
    static func isStatxRefused(_ error: Int32) -> Bool { error == ENOSYS || error == EPERM }

    /// Returns whether the path is a directory; follows symbolic links.
    package static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return false }
        return FileDescriptor.Kind(facts) == .directory
    }

    /// Returns whether this process may write to the file at a path.
    package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    /// Returns the free space on the file system of a file's directory, or nil if it is unknown.
    package static func availableByteCount(at path: String) -> Int? {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var facts = statvfs()
        guard unsafe statvfs(directory, &facts) == 0 else { return nil }
        return Int(clamping: facts.f_bavail.multipliedReportingOverflow(by: facts.f_frsize).partialValue)
    }

    /// Returns whether the path is on a read-only file system.
    package static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
        var facts = statvfs()
        return unsafe statvfs(path, &facts) == 0 && facts.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Returns the first bytes of a file, at most `maximumByteCount` of them.
    package static func firstBytes(of path: String, _ maximumByteCount: Int) throws(SystemError) -> [UInt8] {
        try FileDescriptor(path: path, options: .reading).firstBytes(maximumByteCount)
    }

    /// Renames a file and replaces any file with the new name.
    package static func rename(_ old: String, to new: String) throws(SystemError) {
        guard unsafe Glibc.rename(old, new) == 0 else {
            throw SystemError(operation: "rename", path: old, code: errno)
        }
    }

    /// Removes a file; succeeds if it does not exist.
    package static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw SystemError(operation: "unlink", path: path, code: errno)
        }
    }

    /// Removes an empty directory; succeeds if it does not exist.
    package static func removeDirectory(_ path: String) throws(SystemError) {
        guard unsafe rmdir(path) == 0 || errno == ENOENT else {
            throw SystemError(operation: "rmdir", path: path, code: errno)
        }
    }

    /// Creates a private directory and its missing parents; succeeds if it exists.
    package static func makeDirectory(_ path: String) throws(SystemError) {
        if isDirectory(path) { return }
        if unsafe mkdir(path, 0o700) == 0 { return }
        let code = errno
        // Another process may create it at the same time.
        if code == EEXIST, isDirectory(path) { return }
        guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw SystemError(operation: "mkdir", path: path, code: code == EEXIST ? ENOTDIR : code)
        }
        try makeDirectory(String(path[..<slash]))
        guard unsafe mkdir(path, 0o700) == 0 || isDirectory(path) else {
            throw SystemError(operation: "mkdir", path: path, code: errno)
        }
    }

    /// Syncs a directory, so that its entries are as durable as the files.
    package static func syncDirectory(_ path: String) throws(SystemError) {
        try FileDescriptor(path: path, options: [.reading, .directory]).sync()
    }

    /// Returns the names in a directory, unordered and without `.` and `..`.
    package static func names(in path: String) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            throw SystemError(operation: "opendir", path: path, code: errno)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // readdir also returns nil at the end, and then leaves errno unchanged.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            // An entry belongs to the stream and is read before the next call; its name is zero-terminated.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw SystemError(operation: "readdir", path: path, code: errno) }
        return names
    }

    private static func facts(of path: String) throws(SystemError) -> stat {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else {
            throw SystemError(operation: "stat", path: path, code: errno)
        }
        return facts
    }
}
