/// A database that was set aside, read for what it still has.
///
/// Rows are sought one by one where the tree no longer leads from one to the next; what comes out is only what
/// its checksum vouches for.
final class DamagedDatabase {
    /// How far past the last row that could be read others are looked for.
    private static let maximumGap: Int64 = 200_000

    private let connection: SQLiteConnection
    private let next: SQLiteStatement
    private let exact: SQLiteStatement

    init(path: String) throws(SQLiteFailure) {
        connection = try SQLiteConnection(path: path)
        try connection.run("PRAGMA locking_mode=EXCLUSIVE")
        try connection.run("PRAGMA trusted_schema=OFF")
        try connection.run("PRAGMA cell_size_check=ON")
        next = try connection.prepare(
            "SELECT \(TagTable.fields) FROM tag WHERE seq > ? ORDER BY seq LIMIT 500")
        exact = try connection.prepare("SELECT \(TagTable.fields) FROM tag WHERE seq = ?")
    }

    /// The next intact rows after a sequence, at most 500, and where to go on; nil at the end.
    func rows(after sequence: Int64, upTo highest: Int64) -> (rows: [StoredRow], last: Int64)? {
        var rows: [StoredRow] = []
        var last = sequence
        do throws(SQLiteFailure) {
            try next.bind(sequence, at: 1)
            while try next.step() {
                last = max(last, next.integer(at: 0))
                if let row = TagTable.intactRow(of: next) { rows.append(row) }
            }
            return last == sequence ? nil : (rows, last)
        } catch {
            // The tree breaks off after `last`: from there on each sequence is asked for by itself.
        }
        if last > sequence { return (rows, last) }
        var probe = last
        // Where the high-water mark is lost too, nobody knows how many there were.
        let end = highest > last ? min(highest, last + Self.maximumGap) : last + Self.maximumGap
        while probe < end, rows.isEmpty {
            probe += 1
            do throws(SQLiteFailure) {
                try exact.bind(probe, at: 1)
                guard try exact.step() else { continue }
                if let row = TagTable.intactRow(of: exact) { rows.append(row) }
                exact.reset()
            } catch {
                // This one is lost; the next may lie on another page.
            }
        }
        return rows.isEmpty ? nil : (rows, probe)
    }

    /// The values of `meta` that are intact.
    func meta(_ keys: [String]) -> [String: [UInt8]] {
        var values: [String: [UInt8]] = [:]
        for key in keys {
            do throws(SQLiteFailure) {
                let statement = try connection.prepare("SELECT value, crc FROM meta WHERE key = ?")
                try statement.bind(key, at: 1)
                guard try statement.step() else { continue }
                let value = statement.blob(at: 0)
                if statement.integer(at: 1) == MetaTable.checksum(key: key, value: value) {
                    values[key] = value
                }
            } catch {
                // Lost; the totals are balanced without it.
            }
        }
        return values
    }
}
