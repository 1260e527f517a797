package import Glibc

/// An open file, closed when its owner goes.
@safe package struct FileDescriptor: ~Copyable, Sendable {
    /// How a file is opened.
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// For reading.
        package static let reading = Options(rawValue: O_RDONLY)
        /// For writing.
        package static let writing = Options(rawValue: O_WRONLY)
        /// For both.
        package static let readingAndWriting = Options(rawValue: O_RDWR)
        /// Makes the file where there is none.
        package static let create = Options(rawValue: O_CREAT)
        /// Refuses a file that is there already; with `create`.
        package static let exclusive = Options(rawValue: O_EXCL)
        /// Empties the file.
        package static let truncate = Options(rawValue: O_TRUNC)
        /// Every write goes to the end.
        package static let append = Options(rawValue: O_APPEND)
        /// An error where the path does not name a directory.
        package static let directory = Options(rawValue: O_DIRECTORY)
        /// Neither opening nor reading waits: not for the other end of a FIFO, not for bytes.
        package static let nonblocking = Options(rawValue: O_NONBLOCK)
        /// An error where the last part of the path is a symbolic link.
        package static let noFollow = Options(rawValue: O_NOFOLLOW)
    }

    /// What is open.
    package enum Kind: Sendable, Hashable {
        /// A file that has a size, and gives the same bytes again.
        case regularFile
        case directory
        /// A pipe, a socket or a device: its bytes come once, or without end, or never.
        case other
    }

    /// The system's number for the open file, for calls that this type does not have.
    package let number: Int32
    /// The path, or the name that it was given.
    package let path: String
    private let isOwned: Bool

    /// Opens a file; one that this makes is its owner's alone unless `permissions` say otherwise.
    package init(
        path: String, options: Options, permissions: mode_t = 0o600
    ) throws(SystemError) {
        while true {
            // The text is lent for the call and ends with a zero.
            let number = unsafe open(path, options.rawValue | O_CLOEXEC | O_NOCTTY, permissions)
            if number >= 0 {
                self.number = number
                break
            }
            // A signal ends the wait for the other end of a FIFO.
            guard errno == EINTR else { throw SystemError(operation: "open", path: path, code: errno) }
        }
        self.path = path
        isOwned = true
    }

    /// A file that somebody else has opened, and closes: standard input, for one.
    package init(lent number: Int32, name: String) {
        self.number = number
        path = name
        isOwned = false
    }

    /// A file that a call outside of this type has opened; it is closed as one that this type opened.
    package init(adopting number: Int32, name: String) {
        self.number = number
        path = name
        isOwned = true
    }

    deinit {
        guard isOwned else { return }
        // A program that another thread starts at this moment has a copy of the descriptor until it runs its own
        // code, and a lock lasts as long as its last copy: it ends here, not there.
        flock(number, LOCK_UN)
        // What has to be on the disk was synced before; for the rest there is nobody to tell.
        close(number)
    }

    /// The error of a call on this file that has just failed.
    func failure(_ operation: String) -> SystemError {
        SystemError(operation: operation, path: path, code: errno)
    }

    // MARK: Facts

    /// What is open.
    package func kind() throws(SystemError) -> Kind { Kind(try facts()) }

    /// The size of a regular file; nil of anything else.
    package func byteCount() throws(SystemError) -> Int? {
        let facts = try facts()
        return Kind(facts) == .regularFile ? Int(facts.st_size) : nil
    }

    /// Whether the file has no name any more, and is gone once it is closed.
    package func isRemoved() throws(SystemError) -> Bool { try facts().st_nlink == 0 }

    /// Leaves the file to its owner alone.
    package func makePrivate() throws(SystemError) {
        guard try facts().st_mode & 0o077 != 0 else { return }
        guard fchmod(number, 0o600) == 0 else { throw failure("fchmod") }
    }

    private func facts() throws(SystemError) -> stat {
        var facts = stat()
        // The structure has room for the answer.
        guard unsafe fstat(number, &facts) == 0 else { throw failure("fstat") }
        return facts
    }

    // MARK: The whole file

    /// Locks the file, also against other openings in this process; false where it is locked already.
    package func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Locks the file as soon as nobody else has it locked.
    package func lock() throws(SystemError) {
        guard Self.uninterrupted({ flock(number, LOCK_EX) }) == 0 else { throw failure("flock") }
    }

    /// Makes a system call again for as long as a signal interrupts it.
    private static func uninterrupted(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result == 0 || errno != EINTR { return result }
        }
    }

    /// Makes the file that long.
    package func truncate(to byteCount: Int) throws(SystemError) {
        guard Self.uninterrupted({ ftruncate(number, off_t(byteCount)) }) == 0 else {
            throw failure("ftruncate")
        }
    }

    /// Makes the disk set the bytes aside, so that writing them later cannot fail for lack of space.
    package func allocate(_ byteCount: Int) throws(SystemError) {
        var code = EINTR
        // Returns the error and leaves errno alone.
        while code == EINTR { code = posix_fallocate(number, 0, off_t(byteCount)) }
        guard code == 0 else { throw SystemError(operation: "posix_fallocate", path: path, code: code) }
    }

    /// Returns once the bytes are on the disk, and what is needed to find them again.
    package func syncData() throws(SystemError) {
        guard Self.uninterrupted({ fdatasync(number) }) == 0 else { throw failure("fdatasync") }
    }

    /// Returns once the file is on the disk with all that is known of it; of a directory, its names.
    package func sync() throws(SystemError) {
        guard Self.uninterrupted({ fsync(number) }) == 0 else { throw failure("fsync") }
    }

    /// Gives a pipe room for so many bytes, so that both its ends wait less often; no more than the system allows,
    /// and nothing for a file that is no pipe.
    package func enlargePipe(to byteCount: Int32) {
        // A refusal leaves the pipe as it is. The constant is not among those that Swift imports.
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
