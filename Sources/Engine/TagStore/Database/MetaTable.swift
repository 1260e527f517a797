internal import ByteReading

/// The metadata of a buffer: keys and values, each with a checksum.
final class MetaTable {
    private let selection: SQLiteStatement
    private let insertion: SQLiteStatement
    private let pages: PageCounter

    init(on connection: borrowing SQLiteConnection, pages: PageCounter) throws(SQLiteFailure) {
        selection = try connection.prepare("SELECT value, crc FROM meta WHERE key = ?")
        insertion = try connection.prepare("INSERT OR REPLACE INTO meta(key, value, crc) VALUES(?,?,?)")
        self.pages = pages
    }

    /// Returns a value; nil if the key is missing or the checksum is wrong.
    func value(_ key: String) throws(SQLiteFailure) -> [UInt8]? {
        try selection.bind(key, at: 1)
        guard try selection.step() else { return nil }
        let value = selection.blob(at: 0)
        let stored = selection.integer(at: 1)
        selection.reset()
        return stored == Self.checksum(key: key, value: value) ? value : nil
    }

    func set(_ key: String, _ value: [UInt8]) throws(SQLiteFailure) {
        pages.forget()
        try insertion.bind(key, at: 1)
        try insertion.bind(value.span, at: 2)
        try insertion.bind(Self.checksum(key: key, value: value), at: 3)
        try insertion.finish()
    }

    func number(_ key: String) throws(SQLiteFailure) -> Int64? {
        try value(key).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    func setNumber(_ key: String, _ value: Int64) throws(SQLiteFailure) {
        try set(key, Array(String(value).utf8))
    }

    static func checksum(key: String, value: [UInt8]) -> Int64 {
        Int64(CRC32.of(value.span, continuing: CRC32.of(Array(key.utf8).span)))
    }
}

/// The keys of the table `meta`, except those of bookmarks.
enum MetaKey {
    static let storeID = "store_id"
    static let schemaVersion = "schema_version"
    static let acceptedBase = "accepted_base"
    static let lastSequence = "last_sequence"
    static let epochs = "epochs"
    static let deliveryState = "delivery_state"
    /// The wall clock of the first search for bookmarks of earlier versions.
    static let earlierBookmarksFound = "earlier_bookmarks"

    static let all: Set<String> = [
        storeID, schemaVersion, acceptedBase, lastSequence, epochs, deliveryState, earlierBookmarksFound,
    ]
}
