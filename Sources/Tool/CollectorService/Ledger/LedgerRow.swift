import ByteReading
import TextForms

/// A record as a row of its table.
struct LedgerRow: Sendable {
    let table: RecordTable
    /// The key of the table.
    let key: Key
    /// The row in the binary format of COPY.
    let bytes: [UInt8]
    /// The hash of what all copies of the record share: owner identifier, kind and channel.
    let hash: Int64

    /// The key of a table, in the order of inserts.
    struct Key: Sendable, Hashable, Comparable {
        /// The column `day`, in days since 2000-01-01; the least number is -infinity.
        let day: Int32
        let id: UInt128

        static func < (one: Key, other: Key) -> Bool { (one.day, one.id) < (other.day, other.id) }
    }

    /// A reason why PostgreSQL cannot store a record.
    ///
    /// It has bytes that are not UTF-8, a zero character or half a surrogate pair in a text, or a number that a Double
    /// cannot hold.
    struct NotStorable: Error {}

    /// A member of the record.
    private struct Member {
        let key: Range<Int>
        let value: Range<Int>
        let kind: JSONReader.Kind
        var isInDetail = true
    }

    /// Creates the row of a record, a line with a valid JSON object.
    ///
    /// A member whose value does not fit its column is kept in `detail`.
    ///
    /// - Parameter now: The time for a record without any, in Unix milliseconds.
    init(id: UInt128, _ source: Span<UInt8>, _ range: Range<Int>, now: Int64) throws(NotStorable) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: source.extracting(range))
        } catch {
            throw NotStorable()
        }
        var members: [Member] = []
        members.reserveCapacity(48)
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: source, in: range) { key, value, kind in
                let isID = JSONReader.string(source, in: key, is: "id")
                members.append(Member(key: key, value: value, kind: kind, isInDetail: !isID))
            }
        } catch {
            throw NotStorable()
        }
        hash = Self.hash(of: members, source)
        let table = Self.table(of: &members, source)
        let numbers = Self.columns(of: table, &members, source)
        var times = RecordTimes()
        var fields = CopyFields(capacity: 1_024)
        for (column, number) in zip(table.columns, numbers) {
            guard let number else {
                fields.appendNull()
                continue
            }
            let value = members[number].value
            let kind = members[number].kind
            if let time = column.form.unixMilliseconds(source, value, kind) {
                times.note(time, of: column)
                fields.append(unixMilliseconds: time)
            } else if try !fields.append(column.form, source, value, kind) {
                fields.appendNull()
                continue
            }
            members[number].isInDetail = false
        }
        try fields.appendDetail(members.lazy.filter(\.isInDetail).map { ($0.key, $0.value) }, source)
        let time = table === RecordTable.tags ? times.aired : times.received
        self.table = table
        key = Key(day: time.map(Self.dayNumber) ?? .min, id: id)
        var row = CopyFields(capacity: 48 + fields.bytes.count)
        row.startRow(key, at: time ?? times.received ?? now, columnCount: table.columns.count)
        row.append(fields)
        bytes = row.bytes
    }

    /// Returns the table for the record's `kind`, which is dropped if the table says it.
    private static func table(of members: inout [Member], _ source: Span<UInt8>) -> RecordTable {
        let table = RecordTable.table(kind: text("kind", of: members, source))
        if !table.hasKind {
            for index in members.indices where JSONReader.string(source, in: members[index].key, is: "kind") {
                members[index].isInDetail = false
            }
        }
        return table
    }

    /// Returns the last text with a key.
    private static func text(
        _ key: StaticString, of members: [Member], _ source: Span<UInt8>
    ) -> String? {
        members.last { $0.kind == .string && JSONReader.string(source, in: $0.key, is: key) }
            .map { JSONReader.string(source, in: $0.value) }
    }

    /// Returns the first 8 bytes of the SHA-256 of the texts, each after its length, which is -1 for an absent one.
    private static func hash(of members: [Member], _ source: Span<UInt8>) -> Int64 {
        var shared: [UInt8] = []
        for key in ["owner", "kind", "channel"] as [StaticString] {
            let text = text(key, of: members, source)
            shared.append(bigEndian: Int32(clamping: text?.utf8.count ?? -1))
            shared += Array((text ?? "").utf8)
        }
        return Digest.sha256(shared).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns the index of the member with the value of each column; a null is dropped.
    private static func columns(
        of table: RecordTable, _ members: inout [Member], _ source: Span<UInt8>
    ) -> [Int?] {
        var numbers = [Int?](repeating: nil, count: table.columns.count)
        var next = 0
        for number in members.indices where members[number].isInDetail {
            guard let index = table.index(ofKey: members[number].key, in: source, from: next) else {
                continue
            }
            next = index + 1
            if members[number].kind == .null {
                members[number].isInDetail = false
            } else {
                numbers[index] = number
            }
        }
        return numbers
    }

    private static func dayNumber(_ unixMilliseconds: Int64) -> Int32 {
        let days = CivilDate.split(unixMilliseconds: unixMilliseconds - CopyFields.epoch).daysSince1970
        return Int32(clamping: days)
    }
}

/// The times that date a record, in Unix milliseconds.
private struct RecordTimes {
    private var first: Int64?
    private var programDateTime: Int64?
    private(set) var received: Int64?

    /// The time at which a tag was aired.
    var aired: Int64? { first ?? programDateTime }

    mutating func note(_ time: Int64, of column: RecordTable.Column) {
        switch column.name {
        case "first": first = time
        case "program_date_time": programDateTime = time
        case "received": received = time
        default: break
        }
    }
}
