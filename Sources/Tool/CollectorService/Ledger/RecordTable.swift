import TextForms

/// A table of the ledger: the columns that a record of one kind fills.
///
/// The names are constants of the program and never come from a record.
final class RecordTable: Sendable {
    /// The form of a column.
    enum Form: String, Sendable {
        case text
        /// A text that an index contains, so that its length is limited.
        case indexedText
        case integer = "bigint"
        /// An integer that the totals add up, so that its size is limited.
        case addedInteger
        case number = "double precision"
        /// A number that the totals add up, so that its size is limited.
        case addedNumber
        case boolean
        /// A time as an RFC 3339 string.
        case time = "timestamptz"
        /// A time as a number of Unix seconds.
        case unixSeconds
        case texts = "text[]"
        /// An object or an array, verbatim.
        case json = "jsonb"

        /// The SQL type.
        var type: String {
            switch self {
            case .indexedText: Form.text.rawValue
            case .addedInteger: Form.integer.rawValue
            case .addedNumber: Form.number.rawValue
            case .unixSeconds: Form.time.rawValue
            case .text, .integer, .number, .boolean, .time, .texts, .json: rawValue
            }
        }
    }

    /// A column that has the value of a member of the record.
    struct Column: Sendable {
        let name: String
        let form: Form
        /// The key of the member.
        let key: StaticString

        init(_ name: StaticString, _ form: Form = .text, key: StaticString? = nil) {
            self.name = name.description
            self.form = form
            self.key = key ?? name
        }
    }

    /// The name of the table.
    let name: String
    /// The columns between `id`, `at` and `day`, which every table has, and `detail`, which has all other members.
    let columns: [Column]

    private init(_ name: String, _ columns: [Column]) {
        self.name = name
        self.columns = columns
        hasKind = columns.contains { $0.name == "kind" }
    }

    /// Whether the table has a column for the `kind` of its records, because it has several.
    let hasKind: Bool

    /// Returns the index of the column of a member; nil if it belongs to `detail`.
    ///
    /// - Parameter start: The index to begin at, which is fastest if it is that of the column.
    func index(ofKey key: Range<Int>, in source: Span<UInt8>, from start: Int = 0) -> Int? {
        for index in start..<columns.count
        where JSONReader.string(source, in: key, is: columns[index].key) {
            return index
        }
        for index in 0..<min(start, columns.count)
        where JSONReader.string(source, in: key, is: columns[index].key) {
            return index
        }
        return nil
    }

    /// All tables, in the order of a batch's inserts, which `dtvr.partitioned_tables` repeats.
    static let all = [tags, apps, assets, sessions, otherRecords]

    /// Returns the table of a record; `kind` is nil if the record has none or a null.
    static func table(kind: String?) -> RecordTable {
        switch kind {
        case nil, "data", "info", "unknown": tags
        case "app": apps
        case "asset": assets
        case "session": sessions
        default: otherRecords
        }
    }

    // In the usual order of the keys, which is the fastest.
    static let tags = RecordTable(
        "tags",
        [
            Column("received", .time), Column("channel", .indexedText), Column("source"), Column("segment"),
            Column("media_sequence", .integer), Column("program_date_time", .time), Column("pts", .integer),
            Column("timescale", .integer), Column("seconds", .number), Column("carriage"), Column("owner"),
            Column("kind"), Column("sequence", .integer), Column("first", .unixSeconds),
            Column("last", .unixSeconds), Column("pc_cid"), Column("fd_cid"), Column("pc_offset", .integer),
            Column("fd_offset", .integer), Column("breakout", .integer), Column("checksum_ok", .boolean),
            Column("problems", .texts), Column("renditions", .texts), Column("opted_out", .boolean),
            Column("app_session", .indexedText), Column("session", .indexedText),
            Column("record_order", .integer, key: "order"),
            Column("asset_play"), Column("asset"), Column("type"), Column("playhead", .number),
            Column("media_time", .number), Column("presented", .boolean),
        ])

    /// The columns of every record of a player.
    private static let playerColumns = [
        Column("received", .time), Column("opted_out", .boolean), Column("app_session", .indexedText),
        Column("truncated_count", .integer), Column("truncated", .texts),
    ]

    /// The columns of every record of an asset.
    private static let assetColumns =
        playerColumns + [
            Column("record_order", .integer, key: "order"), Column("session", .indexedText),
            Column("channel"),
            Column("asset"), Column("type"), Column("asset_play"),
        ]

    private static let apps = RecordTable(
        "apps", playerColumns + [Column("library"), Column("market"), Column("app", .json)])

    private static let assets = RecordTable(
        "assets",
        assetColumns + [Column("ad_index"), Column("channel_info", .json), Column("metadata", .json)])

    private static let sessions = RecordTable(
        "sessions",
        assetColumns + [
            Column("first_playhead", .number), Column("playhead", .number), Column("watched", .addedNumber),
            Column("started", .time), Column("ended", .time), Column("pause_count", .addedInteger),
            Column("pauses", .json), Column("volume", .json), Column("mute", .json), Column("ott", .json),
            Column("viewability", .json),
        ])

    private static let otherRecords = RecordTable(
        "other_records", [Column("received", .time), Column("kind")])

    // MARK: SQL

    /// The name of the staging table, which is temporary.
    private var staging: String { "pg_temp.dtvr_staged_\(name)" }

    private var columnList: String {
        (["id", "at", "day"] + columns.map { "\"\($0.name)\"" } + ["detail"]).joined(separator: ", ")
    }

    /// Creates the staging table, which is empty after each transaction.
    var createsStaging: String {
        let typed = columns.map { "\"\($0.name)\" \($0.form.type)" }
        let all = ["id uuid", "at timestamptz", "day date"] + typed + ["detail jsonb"]
        return
            "CREATE TEMPORARY TABLE dtvr_staged_\(name) (\(all.joined(separator: ", "))) ON COMMIT DELETE ROWS"
    }

    /// Copies new records.
    var copiesRecords: String { "COPY dtvr.\(name) (\(columnList)) FROM STDIN (FORMAT binary)" }

    /// Copies rows into the staging table.
    var copiesToStaging: String { "COPY \(staging) (\(columnList)) FROM STDIN (FORMAT binary)" }

    /// Inserts the new records, of those with the same key the first one.
    ///
    /// The order is the same for all collectors, and the same as in a direct copy, so that two batches cannot deadlock.
    var insertsRecords: String {
        "INSERT INTO dtvr.\(name) (\(columnList)) SELECT \(columnList) FROM \(staging) ORDER BY day, id, ctid "
            + "ON CONFLICT DO NOTHING"
    }

    /// Empties the staging table between the parts of a batch.
    var emptiesStaging: String { "DELETE FROM \(staging)" }
}

/// The table with the receipts of all records.
enum ReceiptTable {
    /// The name of the table.
    static let name = "receipts"
    /// The name of the staging table, which is temporary.
    private static let staging = "pg_temp.dtvr_staged_receipts"

    /// Creates the staging table, which is empty after each transaction.
    static let createsStaging =
        "CREATE TEMPORARY TABLE dtvr_staged_receipts (id uuid, day date, sender integer, hash bigint) "
        + "ON COMMIT DELETE ROWS"

    /// Copies the receipts of new records.
    static let copiesReceipts = "COPY dtvr.receipts (id, day, sender, hash) FROM STDIN (FORMAT binary)"

    /// Copies receipts into the staging table.
    static let copiesToStaging = "COPY \(staging) (id, day, sender, hash) FROM STDIN (FORMAT binary)"

    /// Inserts the new receipts, in the order of the records.
    static let insertsReceipts =
        "INSERT INTO dtvr.receipts (id, day, sender, hash) SELECT id, day, sender, hash FROM \(staging) "
        + "ORDER BY day, id, ctid ON CONFLICT DO NOTHING"

    /// Counts the staged receipts of records that differ from the stored one.
    static let countsDiffering =
        "SELECT dtvr.differing_count(array_agg(id), array_agg(day), array_agg(hash)) FROM \(staging)"

    /// Empties the staging table between the parts of a batch.
    static let emptiesStaging = "DELETE FROM \(staging)"
}
