internal import HostSystem

/// Where the files of a buffer are.
///
///     lock             held with flock; the owner's process id as text
///     tags.sqlite      the database
///     tags.sqlite-wal  its write-ahead log
///     high-water       the last committed sequence, never synced
///     reserve          room that is freed when the disk is full
///     status.json      what `StoreStatus` reads beside a running owner
///     tags.damaged     a database that is being salvaged; only while that lasts, with its log
struct StoreFolder: Sendable, Hashable {
    let path: String

    var lock: String { path + "/lock" }
    var database: String { path + "/tags.sqlite" }
    var writeAheadLog: String { database + "-wal" }
    var damagedDatabase: String { path + "/tags.damaged" }
    var damagedWriteAheadLog: String { damagedDatabase + "-wal" }
    var highWaterMark: String { path + "/high-water" }
    var reserve: String { path + "/reserve" }
    /// The name that earlier releases gave the reserve.
    var earlierReserve: String { path + "/ballast" }
    var status: String { path + "/status.json" }
    var nextStatus: String { path + "/status.json.next" }

    /// The bytes of every file; none where the folder cannot be read.
    var fileSizes: StoreFileSizes {
        var sizes = StoreFileSizes()
        do throws(SystemError) {
            for name in try FileSystem.names(in: path) {
                let count = FileSystem.byteCount(of: path + "/" + name) ?? 0
                sizes[keyPath: StoreFileSizes.place(of: name)] += Int64(count)
            }
        } catch {
            // Whoever can see no files can say nothing of them.
        }
        return sizes
    }

    /// The bytes of all files together.
    var byteCount: Int { Int(fileSizes.total) }

    /// What the disk has for the store: what is free, and what the store has already.
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

    /// Makes names as durable as the files.
    func sync() {
        do throws(SystemError) {
            try FileSystem.syncDirectory(path)
        } catch {
            // Some file systems cannot: then a name is as durable there as it gets.
        }
    }

    /// Leaves every file to its owner alone, and refuses symbolic links in their places.
    func makeFilesPrivate() throws(SystemError) {
        for name in try FileSystem.names(in: path) where Self.ownNames.contains(name) {
            try FileDescriptor(path: path + "/" + name, options: [.reading, .noFollow, .nonblocking])
                .makePrivate()
        }
    }

    private static let ownNames: Set = [
        "lock", "tags.sqlite", "tags.sqlite-wal", "tags.damaged", "tags.damaged-wal", "high-water", "reserve",
        "ballast", "status.json", "status.json.next",
    ]

    /// Gives the files of an earlier release their names of today.
    func adoptEarlierNames() throws(SystemError) {
        guard FileSystem.byteCount(of: earlierReserve) != nil else { return }
        try FileSystem.rename(earlierReserve, to: reserve)
    }
}
