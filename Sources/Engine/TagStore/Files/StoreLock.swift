import Glibc
internal import HostSystem

/// The exclusive ownership of a buffer: a locked file in its folder, held for the lifetime of this value.
struct StoreLock: ~Copyable {
    private let file: FileDescriptor

    /// Creates the folder and its parents if necessary, for the owner only, and acquires the lock.
    init(_ folder: StoreFolder) throws(StoreError) {
        guard !folder.path.isEmpty else { throw .invalidSetting(name: "directory") }
        let file = try Self.openFile(in: folder)
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

    private static func openFile(in folder: StoreFolder) throws(StoreError) -> FileDescriptor {
        do throws(SystemError) {
            try FileSystem.makeDirectory(folder.path)
            return try FileDescriptor(path: folder.lock, options: [.readingAndWriting, .create, .noFollow])
        } catch {
            throw refusal(error, of: folder)
        }
    }

    private static func refusal(_ error: SystemError, of folder: StoreFolder) -> StoreError {
        switch error.code {
        case ENOTDIR: .notADirectory(path: folder.path)
        case EROFS, EACCES, EPERM: .readOnly(path: folder.path)
        default: .system(error)
        }
    }
}
