import Glibc
internal import HostSystem

/// What makes one process the owner of a buffer: the lock of a file in its folder, held while this lives.
struct StoreLock: ~Copyable {
    private let file: FileDescriptor

    /// Makes the folder where there is none, with its parents, for the owner alone; and takes the lock.
    init(_ folder: StoreFolder) throws(StoreError) {
        guard !folder.path.isEmpty else { throw .invalidSetting(name: "directory") }
        let file = try Self.openFile(in: folder)
        guard file.tryLock() else { throw .inUse(pid: StoreHolder.processID(in: file)) }
        let owner = Array("\(getpid())\n".utf8)
        do throws(SystemError) {
            try file.truncate(to: 0)
            try file.write(owner.span, at: 0)
        } catch {
            // Information for others only: a full disk must not keep the buffer shut.
        }
        self.file = file
    }

    /// Whether the folder still has the store that this is the lock of.
    func isInPlace(in folder: StoreFolder) -> Bool {
        do throws(SystemError) {
            return try !file.isRemoved() && FileSystem.isDirectory(folder.path)
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
