internal import HostSystem

/// The files of a database: what is written to others than those in the folder is gone with this process.
struct DatabaseFiles: Equatable {
    private let database: FileIdentity?
    private let log: FileIdentity?

    init(in folder: StoreFolder) {
        database = FileSystem.identity(of: folder.database)
        log = FileSystem.identity(of: folder.writeAheadLog)
    }
}

/// What a status tells of the database.
struct DatabaseFacts {
    let oldestReceived: Int64?
    let newestReceived: Int64?
    let deadLetterCount: Int64
    let deliveryState: [UInt8]
}
