internal import HostSystem

/// The identities of the open database files.
///
/// They show whether the folder still contains these files. Writes to deleted or replaced files are lost when the
/// process exits.
struct DatabaseFiles: Equatable {
    private let database: FileIdentity?
    private let log: FileIdentity?

    init(in folder: StoreFolder) {
        database = FileSystem.identity(of: folder.database)
        log = FileSystem.identity(of: folder.writeAheadLog)
    }
}

/// The part of a status that comes from the database.
struct DatabaseFacts {
    let oldestReceived: Int64?
    let newestReceived: Int64?
    let deadLetterCount: Int64
    let deliveryState: [UInt8]
}
