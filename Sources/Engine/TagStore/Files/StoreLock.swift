import Glibc
package import HostSystem

/// The exclusive ownership of a buffer: a locked file in its folder, held for the lifetime of this value.
struct StoreLock: ~Copyable {
    private let file: FileDescriptor

    /// Creates the folder and its parents if necessary, for the owner only, and acquires the lock.
    ///
    /// - Throws: `untrusted` if other users may change the folder or the lock.
    init(_ folder: StoreFolder, trusting users: TrustedUsers) throws(StoreError) {
        guard !folder.path.isEmpty else { throw .invalidSetting(name: "directory") }
        let file = try Self.openFile(in: folder, trusting: users)
        guard file.tryLock() else { throw .inUse(pid: StoreHolder.processID(in: file)) }
        let owner = Array("\(getpid())\n".utf8)
        do throws(SystemError) {
            try file.truncate(to: 0)
            try file.write(owner.span, at: 0)
        } catch {
            // The process id is only informative, and a full disk must not keep the buffer from opening.
        }
        self.file = file
    }

    /// Whether the file of this lock still has a name.
    var isInPlace: Bool {
        do throws(SystemError) {
            return try !file.isRemoved()
        } catch {
            return false
        }
    }

    private static func openFile(
        in folder: StoreFolder, trusting users: TrustedUsers
    ) throws(StoreError) -> FileDescriptor {
        let directory: FileDescriptor
        do throws(SystemError) {
            try FileSystem.makeDirectory(folder.path)
            directory = try FileDescriptor(path: folder.path, options: [.reading, .directory])
        } catch {
            throw refusal(error, of: folder)
        }
        try users.check(directory)
        let file: FileDescriptor
        do throws(SystemError) {
            if users.includesAll { try HostThread.accessFiles(asUserOf: directory, with: folder.ownFiles) }
            file = try FileDescriptor(path: folder.lock, options: [.readingAndWriting, .create, .noFollow])
        } catch {
            throw refusal(error, of: folder)
        }
        try users.check(file)
        return file
    }

    private static func refusal(_ error: SystemError, of folder: StoreFolder) -> StoreError {
        switch error.code {
        case ENOTDIR: .notADirectory(path: folder.path)
        case EROFS, EACCES, EPERM: .readOnly(path: folder.path)
        default: .system(error)
        }
    }
}

extension TrustedUsers {
    /// Checks that only trusted users may change an open file of a buffer.
    ///
    /// - Throws: `untrusted` or `system`.
    package func check(_ file: borrowing FileDescriptor) throws(StoreError) {
        let objection: String?
        do throws(SystemError) {
            objection = try self.objection(to: file)
        } catch {
            throw .system(error)
        }
        if let objection { throw .untrusted(path: file.path, reason: objection) }
    }
}
