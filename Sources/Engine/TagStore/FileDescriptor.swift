import Glibc

/// An open file, closed when its owner goes.
@safe struct FileDescriptor: ~Copyable {
    private let number: Int32

    init(path: String, flags: Int32, mode: mode_t = 0o600) throws(StoreError) {
        // The text is lent for the call and ends with a NUL; so for every path below.
        number = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
        guard number >= 0 else { throw .system(operation: "open", path: path, errno: errno) }
    }

    deinit {
        // A program that another thread starts at this moment has a copy of the descriptor until it runs its own
        // code, and a lock lasts as long as its last copy: it ends here, not there.
        flock(number, LOCK_UN)
        Glibc.close(number)
    }

    /// Takes the lock of the whole file, which also excludes other openings in this process; false where it is held.
    borrowing func tryLock() -> Bool {
        flock(number, LOCK_EX | LOCK_NB) == 0
    }

    borrowing func truncate(to byteCount: Int) -> Bool {
        ftruncate(number, off_t(byteCount)) == 0
    }

    /// Makes the disk set the bytes aside, so that writing them later cannot fail for want of room.
    borrowing func allocate(_ byteCount: Int) -> Bool {
        posix_fallocate(number, 0, off_t(byteCount)) == 0
    }

    /// Writes all bytes from the file's offset; false where fewer were taken.
    borrowing func write(_ bytes: Span<UInt8>, at offset: Int = 0) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var done = 0
            while done < buffer.count {
                // `done` is less than the count, so address and count stay within the borrowed buffer.
                guard let address = buffer.baseAddress else { return false }
                let rest = unsafe UnsafeRawPointer(address + done)
                let count = unsafe pwrite(number, rest, buffer.count - done, off_t(offset + done))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    borrowing func read(maximumByteCount: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
        var done = 0
        while done < maximumByteCount {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                // `done` is less than the buffer's count.
                guard let address = buffer.baseAddress else { return 0 }
                return unsafe pread(number, address + done, maximumByteCount - done, off_t(done))
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            done += count
        }
        bytes.removeLast(maximumByteCount - done)
        return bytes
    }

    /// The first bytes of a file; nil where it cannot be read.
    static func contents(of path: String, maximumByteCount: Int) -> [UInt8]? {
        do {
            let file = try FileDescriptor(path: path, flags: O_RDONLY)
            return file.read(maximumByteCount: maximumByteCount)
        } catch {
            return nil
        }
    }

    /// The size of a file in bytes; nil where there is none.
    static func byteCount(of path: String) -> Int? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return Int(facts.st_size)
    }

    /// The room on the disk of the directory that a file lies in; nil where it cannot be told.
    static func availableByteCount(at path: String) -> Int? {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        var facts = statvfs()
        guard unsafe statvfs(directory, &facts) == 0 else { return nil }
        return Int(clamping: facts.f_bavail.multipliedReportingOverflow(by: facts.f_frsize).partialValue)
    }

    static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR
    }

    static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    /// Gives a file another name, in place of any file that has it.
    static func rename(_ old: String, to new: String) throws(StoreError) {
        guard unsafe Glibc.rename(old, new) == 0 else {
            throw .system(operation: "rename", path: old, errno: errno)
        }
    }

    /// Removes a file; that there is none is no error.
    static func remove(_ path: String) throws(StoreError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw .system(operation: "unlink", path: path, errno: errno)
        }
    }

    /// Makes names in a directory as durable as the files; false where it cannot be synced.
    static func syncDirectory(_ path: String) -> Bool {
        do {
            let directory = try FileDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY)
            return fsync(directory.number) == 0
        } catch {
            return false
        }
    }
}
