/// What each file of a buffer takes, in bytes.
package struct StoreFileSizes: Sendable, Hashable, Codable {
    /// The database.
    package internal(set) var database: Int64 = 0
    /// Its write-ahead log.
    package internal(set) var writeAheadLog: Int64 = 0
    /// The room that is held for a full disk.
    package internal(set) var reserve: Int64 = 0
    /// The last committed sequence, kept beside the database.
    package internal(set) var highWaterMark: Int64 = 0
    /// The status, as it was before this one.
    package internal(set) var status: Int64 = 0
    /// Whatever else is in the directory: the lock, a database that is being salvaged, what is not the buffer's.
    package internal(set) var other: Int64 = 0

    /// All files together.
    package var total: Int64 { database &+ writeAheadLog &+ reserve &+ highWaterMark &+ status &+ other }

    /// Where the file of a name is counted.
    static func place(of name: String) -> WritableKeyPath<StoreFileSizes, Int64> {
        switch name {
        case "tags.sqlite": \.database
        case "tags.sqlite-wal": \.writeAheadLog
        case "reserve": \.reserve
        case "high-water": \.highWaterMark
        case "status.json": \.status
        default: \.other
        }
    }

    /// The keys of `status.json`, which keep the names that they were given first.
    private enum CodingKeys: String, CodingKey {
        case database, writeAheadLog, highWaterMark, status, other
        case reserve = "ballast"
    }
}
