internal import CDTVRStat
package import Glibc

/// An open file that is closed at the end of its owner's lifetime.
@safe package struct FileDescriptor: ~Copyable, Sendable {
    /// The flags for opening a file.
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// Open for reading.
        package static let reading = Options(rawValue: O_RDONLY)
        /// Open for writing.
        package static let writing = Options(rawValue: O_WRONLY)
        /// Open for reading and writing.
        package static let readingAndWriting = Options(rawValue: O_RDWR)
        /// Create the file if it does not exist.
        package static let create = Options(rawValue: O_CREAT)
        /// Fail if the file exists; use with `create`.
        package static let exclusive = Options(rawValue: O_EXCL)
        /// Truncate the file to zero bytes.
        package static let truncate = Options(rawValue: O_TRUNC)
        /// Append every write at the end of the file.
        package static let append = Options(rawValue: O_APPEND)
        /// Fail if the path is not a directory.
        package static let directory = Options(rawValue: O_DIRECTORY)
        /// Do not block, neither to open a FIFO nor to read.
        package static let nonblocking = Options(rawValue: O_NONBLOCK)
        /// Fail if the last path component is a symbolic link.
        package static let noFollow = Options(rawValue: O_NOFOLLOW)
    }

    /// The kind of an open file.
    package enum Kind: Sendable, Hashable {
        /// A file with a size and repeatable reads.
        case regularFile
        case directory
        /// A pipe, a socket or a device, whose bytes can be read only once and may never end or never arrive.
        case other
    }

    /// The file descriptor, for system calls that this type does not wrap.
    package let number: Int32
    /// The path, or the name given instead of a path.
    package let path: String
    private let isOwned: Bool

    /// Opens a file; a new file is private to its owner unless `permissions` differ.
    package init(
        path: String, options: Options, permissions: mode_t = 0o600
    ) throws(SystemError) {
        while true {
            // The path is borrowed for the call and zero-terminated.
            let number = unsafe open(path, options.rawValue | O_CLOEXEC | O_NOCTTY, permissions)
            if number >= 0 {
                self.number = number
                break
            }
            // A signal interrupts the wait for the other end of a FIFO.
            guard errno == EINTR else { throw SystemError(operation: "open", path: path, code: errno) }
        }
        self.path = path
        isOwned = true
    }

    /// Creates a reference to a file that other code opens and closes, such as standard input.
    package init(lent number: Int32, name: String) {
        self.number = number
        path = name
        isOwned = false
    }

    /// Takes ownership of a file descriptor that was opened outside of this type.
    package init(adopting number: Int32, name: String) {
        self.number = number
        path = name
        isOwned = true
    }

    deinit {
        guard isOwned else { return }
        // A child process that another thread is starting has a copy of the descriptor until it executes its program. A
        // lock lasts as long as its last copy, so release it explicitly.
        flock(number, LOCK_UN)
        // Durable data was synced before, and a deinit cannot report other errors.
        close(number)
    }

    /// Returns the error of the last failed call on this file.
    func failure(_ operation: String) -> SystemError {
        SystemError(operation: operation, path: path, code: errno)
    }

    // MARK: Facts

    /// Returns the kind of the open file.
    package func kind() throws(SystemError) -> Kind { Kind(try facts()) }

    /// Returns the size of a regular file, or nil for any other kind.
    package func byteCount() throws(SystemError) -> Int? {
        let facts = try facts()
        return Kind(facts) == .regularFile ? Int(facts.st_size) : nil
    }

    /// Returns whether the file was unlinked and will be deleted when it is closed.
    ///
    /// Unlike other queries, it does not make the next write to the file slower.
    package func isRemoved() throws(SystemError) -> Bool {
        var facts = dtvr_identity()
        // The call writes only to the structure.
        if unsafe dtvr_identify(number, "", &facts) == 0 { return facts.link_count == 0 }
        guard FileSystem.isStatxRefused(errno) else { throw failure("statx") }
        return try self.facts().st_nlink == 0
    }

    /// Removes all permissions of other users.
    package func makePrivate() throws(SystemError) {
        guard try facts().st_mode & 0o077 != 0 else { return }
        guard fchmod(number, 0o600) == 0 else { throw failure("fchmod") }
    }

    func facts() throws(SystemError) -> stat {
        var facts = stat()
        // The call writes only to the structure.
        guard unsafe fstat(number, &facts) == 0 else { throw failure("fstat") }
        return facts
    }

    // MARK: The whole file

    /// Locks the file exclusively, even against other descriptors in this process; returns false if it is already
    /// locked.
    package func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Waits for an exclusive lock on the file.
    package func lock() throws(SystemError) {
        guard Self.uninterrupted({ flock(number, LOCK_EX) }) == 0 else { throw failure("flock") }
    }

    /// Retries a system call while signals interrupt it.
    private static func uninterrupted(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result == 0 || errno != EINTR { return result }
        }
    }

    /// Sets the size of the file.
    package func truncate(to byteCount: Int) throws(SystemError) {
        guard Self.uninterrupted({ ftruncate(number, off_t(byteCount)) }) == 0 else {
            throw failure("ftruncate")
        }
    }

    /// Reserves disk space, so that a later write cannot fail because the disk is full.
    package func allocate(_ byteCount: Int) throws(SystemError) {
        var code = EINTR
        // The call returns the error and does not set errno.
        while code == EINTR { code = posix_fallocate(number, 0, off_t(byteCount)) }
        guard code == 0 else { throw SystemError(operation: "posix_fallocate", path: path, code: code) }
    }

    /// Waits until the data is on disk, with the metadata needed to read it.
    package func syncData() throws(SystemError) {
        guard Self.uninterrupted({ fdatasync(number) }) == 0 else { throw failure("fdatasync") }
    }

    /// Waits until the data and all metadata are on disk; for a directory, its entries.
    package func sync() throws(SystemError) {
        guard Self.uninterrupted({ fsync(number) }) == 0 else { throw failure("fsync") }
    }

    /// Enlarges the buffer of a pipe, up to the system limit, so that both ends block less often.
    ///
    /// Does nothing if the file is not a pipe.
    package func enlargePipe(to byteCount: Int32) {
        // If the call fails, the pipe is unchanged. Swift does not import the constant F_SETPIPE_SZ.
        let setPipeSize: Int32 = 1031
        _ = fcntl(number, setPipeSize, byteCount)
    }
}

extension FileDescriptor.Kind {
    init(_ facts: stat) {
        switch facts.st_mode & S_IFMT {
        case S_IFREG: self = .regularFile
        case S_IFDIR: self = .directory
        default: self = .other
        }
    }
}
