import Glibc

/// The directory of a store, held by one owner.
///
///     lock             held with flock; the owner's process id as text
///     tags.sqlite      the database
///     tags.sqlite-wal  its write-ahead log
///     high-water       the last committed sequence, never synced
///     ballast          room that is freed when the disk is full
///     status.json      what `StoreStatus` reads beside a running owner
///     tags.damaged     a database that is being salvaged; only while that lasts, with its log
struct StoreDirectory: ~Copyable {
    let path: String
    private let lock: FileDescriptor

    var database: String { path + "/tags.sqlite" }
    var writeAheadLog: String { path + "/tags.sqlite-wal" }
    var damagedDatabase: String { path + "/tags.damaged" }
    var damagedWriteAheadLog: String { path + "/tags.damaged-wal" }
    var highWater: String { path + "/high-water" }
    var ballast: String { path + "/ballast" }
    var status: String { Self.status(in: path) }
    var nextStatus: String { path + "/status.json.next" }

    static func status(in path: String) -> String { path + "/status.json" }

    /// Makes the directory where there is none, with its parents, for the owner alone; and takes the lock.
    init(path: String) throws(StoreError) {
        lock = try Self.takeLock(in: path)
        self.path = path
    }

    private static func takeLock(in path: String) throws(StoreError) -> FileDescriptor {
        guard !path.isEmpty else { throw .invalidSetting(name: "directory") }
        try create(path)
        let lock = try openLock(in: path)
        guard lock.tryLock() else {
            let text = lock.read(maximumByteCount: 16).map { String(decoding: $0, as: UTF8.self) }
            throw .inUse(pid: text.flatMap { Int32($0.prefix { $0.isNumber }) })
        }
        // Information for others only: a full disk, where it cannot be written, must not keep the store shut.
        _ = lock.truncate(to: 0)
        _ = lock.write(Array("\(getpid())\n".utf8).span)
        return lock
    }

    private static func openLock(in path: String) throws(StoreError) -> FileDescriptor {
        do throws(StoreError) {
            return try FileDescriptor(path: path + "/lock", flags: O_RDWR | O_CREAT)
        } catch .system(_, _, let code) where code == EROFS || code == EACCES || code == EPERM {
            throw .readOnly(path: path)
        } catch .system(_, _, ENOTDIR) {
            throw .notADirectory(path: path)
        }
    }

    /// The bytes of all files in the directory.
    var byteCount: Int { Int(fileSizes.total) }

    /// The bytes of every file in the directory.
    var fileSizes: StoreFileSizes {
        var sizes = StoreFileSizes()
        guard let stream = unsafe opendir(path) else { return sizes }
        defer { unsafe closedir(stream) }
        // Entries belong to the stream and are read before the next call; names end with a NUL.
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard name != "." && name != ".." else { continue }
            let count = FileDescriptor.byteCount(of: path + "/" + name) ?? 0
            sizes[keyPath: StoreFileSizes.place(of: name)] += Int64(count)
        }
        return sizes
    }

    private static func create(_ path: String) throws(StoreError) {
        if FileDescriptor.isDirectory(path) { return }
        if unsafe mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            // Made by another in the meantime, or a file.
            guard FileDescriptor.isDirectory(path) else { throw .notADirectory(path: path) }
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
                throw .system(operation: "mkdir", path: path, errno: ENOENT)
            }
            try create(String(path[..<slash]))
            guard unsafe mkdir(path, 0o700) == 0 || FileDescriptor.isDirectory(path) else {
                throw .system(operation: "mkdir", path: path, errno: errno)
            }
        case ENOTDIR: throw .notADirectory(path: path)
        case EROFS, EACCES, EPERM: throw .readOnly(path: path)
        case let code: throw .system(operation: "mkdir", path: path, errno: code)
        }
    }
}
