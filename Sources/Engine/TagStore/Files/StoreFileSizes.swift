/// The size of each file of a buffer, in bytes.
package struct StoreFileSizes: Sendable, Hashable, Codable {
    /// The database.
    package internal(set) var database: Int64 = 0
    /// The write-ahead log of the database.
    package internal(set) var writeAheadLog: Int64 = 0
    /// The space reserved for a full disk.
    package internal(set) var reserve: Int64 = 0
    /// The high-water mark.
    package internal(set) var highWaterMark: Int64 = 0
    /// The previous status file.
    package internal(set) var status: Int64 = 0
    /// All other files in the directory: the lock, a database during its salvage, and unrelated files.
    package internal(set) var other: Int64 = 0

    /// The sum of all files.
    package var total: Int64 { database &+ writeAheadLog &+ reserve &+ highWaterMark &+ status &+ other }

    /// Returns the property that counts the file of a name.
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

    /// The keys of `status.json`.
    private enum CodingKeys: String, CodingKey {
        case database, writeAheadLog, highWaterMark, status, other
        case reserve = "ballast"
    }
}
