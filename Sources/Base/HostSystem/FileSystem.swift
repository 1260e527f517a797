import Glibc

/// A file, whatever names lead to it, for as long as it exists.
package struct FileIdentity: Sendable, Hashable {
    let device: dev_t
    let inode: ino_t
}

/// What is asked and done about files by their paths.
package enum FileSystem {
    /// What a path names, links followed.
    package static func kind(of path: String) throws(SystemError) -> FileDescriptor.Kind {
        FileDescriptor.Kind(try facts(of: path))
    }

    /// The size of a file in bytes; nil where there is none.
    package static func byteCount(of path: String) -> Int? {
        var facts = stat()
        // The path is lent for the call and ends with a zero, and the structure has room for the answer; so below.
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return Int(facts.st_size)
    }

    /// When a file was changed last, since 1970; nil where there is none.
    package static func modificationTime(of path: String) -> Duration? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return .seconds(facts.st_mtim.tv_sec) + .nanoseconds(facts.st_mtim.tv_nsec)
    }

    /// The file that a path names, links followed; nil where there is none.
    package static func identity(of path: String) -> FileIdentity? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return FileIdentity(device: facts.st_dev, inode: facts.st_ino)
    }

    /// Whether a path names a directory, links followed.
    package static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return false }
        return FileDescriptor.Kind(facts) == .directory
    }

    /// Whether this process may write to what a path names.
    package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    /// The free space of the disk that a file's directory is on; nil where it cannot be told.
    package static func availableByteCount(at path: String) -> Int? {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var facts = statvfs()
        guard unsafe statvfs(directory, &facts) == 0 else { return nil }
        return Int(clamping: facts.f_bavail.multipliedReportingOverflow(by: facts.f_frsize).partialValue)
    }

    /// Whether a path is on a file system that nothing can be written to.
    package static func isOnReadOnlyFileSystem(_ path: String) -> Bool {
        var facts = statvfs()
        return unsafe statvfs(path, &facts) == 0 && facts.f_flag & UInt(ST_RDONLY) != 0
    }

    /// The first bytes of a file, as many as there are up to that count.
    package static func firstBytes(of path: String, _ maximumByteCount: Int) throws(SystemError) -> [UInt8] {
        try FileDescriptor(path: path, options: .reading).firstBytes(maximumByteCount)
    }

    /// Gives a file another name, in place of any file that has it.
    package static func rename(_ old: String, to new: String) throws(SystemError) {
        guard unsafe Glibc.rename(old, new) == 0 else {
            throw SystemError(operation: "rename", path: old, code: errno)
        }
    }

    /// Removes a file; that there is none is no error.
    package static func remove(_ path: String) throws(SystemError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw SystemError(operation: "unlink", path: path, code: errno)
        }
    }

    /// Removes a directory that is empty; that there is none is no error.
    package static func removeDirectory(_ path: String) throws(SystemError) {
        guard unsafe rmdir(path) == 0 || errno == ENOENT else {
            throw SystemError(operation: "rmdir", path: path, code: errno)
        }
    }

    /// Makes a directory, and those above it that are missing, for its owner alone; that it is there is no error.
    package static func makeDirectory(_ path: String) throws(SystemError) {
        if isDirectory(path) { return }
        if unsafe mkdir(path, 0o700) == 0 { return }
        let code = errno
        // Another process may make it in the meantime.
        if code == EEXIST, isDirectory(path) { return }
        guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw SystemError(operation: "mkdir", path: path, code: code == EEXIST ? ENOTDIR : code)
        }
        try makeDirectory(String(path[..<slash]))
        guard unsafe mkdir(path, 0o700) == 0 || isDirectory(path) else {
            throw SystemError(operation: "mkdir", path: path, code: errno)
        }
    }

    /// Makes the names in a directory as durable as the files.
    package static func syncDirectory(_ path: String) throws(SystemError) {
        try FileDescriptor(path: path, options: [.reading, .directory]).sync()
    }

    /// The names in a directory, in no order, without `.` and `..`.
    package static func names(in path: String) throws(SystemError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            throw SystemError(operation: "opendir", path: path, code: errno)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // readdir returns nil at the end as well, and says nothing else then.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            // Entries belong to the stream and are read before the next call; names end with a zero.
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
