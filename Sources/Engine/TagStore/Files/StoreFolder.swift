import Glibc
internal import HostSystem

/// The folder of a buffer and the paths of its files.
///
///     lock             held with flock; the owner's process id as text
///     tags.sqlite      the database
///     tags.sqlite-wal  its write-ahead log
///     high-water       the last committed sequence, never synced
///     reserve          space that is freed when the disk is full
///     status.json      the snapshot that other processes read
///     tags.damaged     a damaged database during its salvage, with its log
struct StoreFolder: Sendable, Hashable {
    let path: String

    var lock: String { path + "/lock" }
    var database: String { path + "/tags.sqlite" }
    var writeAheadLog: String { database + "-wal" }
    var damagedDatabase: String { path + "/tags.damaged" }
    var damagedWriteAheadLog: String { damagedDatabase + "-wal" }
    var highWaterMark: String { path + "/high-water" }
    var reserve: String { path + "/reserve" }
    var status: String { path + "/status.json" }
    var nextStatus: String { path + "/status.json.next" }

    /// The size of every file; all zero if the folder is not readable.
    var fileSizes: StoreFileSizes {
        var sizes = StoreFileSizes()
        do throws(SystemError) {
            for name in try FileSystem.names(in: path) {
                let count = FileSystem.byteCount(of: path + "/" + name) ?? 0
                sizes[keyPath: StoreFileSizes.place(of: name)] += Int64(count)
            }
        } catch {
            // The sizes of files that cannot be listed are unknown.
        }
        return sizes
    }

    /// The size of all files together.
    var byteCount: Int { Int(fileSizes.total) }

    /// The space that the disk has for the store: free space plus the current size of the store.
    var roomByteCount: Int {
        var existing = path
        while !FileSystem.isDirectory(existing) {
            let slash = existing.lastIndex(of: "/")
            existing = slash.map { String(existing[..<$0]) } ?? "."
            if existing.isEmpty { existing = "/" }
        }
        let (sum, isTooLarge) = byteCount.addingReportingOverflow(
            FileSystem.availableByteCount(at: existing + "/") ?? .max)
        return isTooLarge ? .max : sum
    }

    /// Syncs the directory, which makes file names durable.
    func sync() {
        do throws(SystemError) {
            try FileSystem.syncDirectory(path)
        } catch {
            // Some file systems do not support this; file names are then less durable.
        }
    }

    /// Restricts every file to its owner, and rejects symbolic links and the files of other users.
    func makeFilesPrivate(trusting users: TrustedUsers) throws(StoreError) {
        let names = try StoreError.wrapping { () throws(SystemError) in try FileSystem.names(in: path) }
        for name in names where Self.ownNames.contains(name) {
            let file = try StoreError.wrapping { () throws(SystemError) in
                try FileDescriptor(path: path + "/" + name, options: [.reading, .noFollow, .nonblocking])
            }
            try users.check(file)
            try StoreError.wrapping { () throws(SystemError) in try file.makePrivate() }
        }
    }

    /// Whether the folder contains a buffer, even a damaged one or one without its database.
    ///
    /// It is true for a folder that cannot be listed; opening the buffer then gives the reason.
    var hasBuffer: Bool {
        do throws(SystemError) {
            return try !Self.dataNames.isDisjoint(with: FileSystem.names(in: path))
        } catch {
            return error.code != ENOENT
        }
    }

    /// The files that hold tags or counts of tags.
    private static let dataNames: Set = [
        "tags.sqlite", "tags.sqlite-wal", "tags.damaged", "tags.damaged-wal", "high-water",
    ]
    /// The paths of all files of a buffer, except its socket.
    var ownFiles: [String] { Self.ownNames.map { "\(path)/\($0)" } }
    private static let ownNames = dataNames.union(["lock", "reserve", "status.json", "status.json.next"])
}
