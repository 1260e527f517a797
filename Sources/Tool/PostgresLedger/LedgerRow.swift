import ByteReading
import TextForms

/// A record as a row of its table.
struct LedgerRow: Sendable {
    /// The id of the record, as 32 hexadecimal digits.
    let id: String
    let table: RecordTable
    /// The value of the column `day`, whose order is that of the text.
    let day: String
    /// The row in the text format of COPY, with its line end.
    let bytes: [UInt8]

    /// A reason why PostgreSQL cannot store a record: a zero character or half a surrogate pair in a text.
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
    init(id: String, _ source: Span<UInt8>, _ range: Range<Int>, now: Int64) throws(NotStorable) {
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
        let table = Self.table(of: &members, source)
        let numbers = Self.columns(of: table, &members, source)
        var times = RecordTimes()
        var fields = CopyText(capacity: 1_024)
        for (column, number) in zip(table.columns, numbers) {
            fields.startField()
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
        let day = time.map {
            CivilDate(daysSince1970: CivilDate.split(unixMilliseconds: $0).daysSince1970).text
        }
        self.id = id
        self.table = table
        self.day = day ?? "-infinity"
        bytes = Self.line(id: id, at: time ?? times.received ?? now, day: self.day, fields)
    }

    /// Returns the table for the record's `kind`, which is dropped if the table says it.
    private static func table(of members: inout [Member], _ source: Span<UInt8>) -> RecordTable {
        let kinds = members.indices.filter { JSONReader.string(source, in: members[$0].key, is: "kind") }
        let kind = kinds.last { members[$0].kind == .string }
            .map { JSONReader.string(source, in: members[$0].value) }
        let table = RecordTable.table(kind: kind)
        if !table.hasKind { for index in kinds { members[index].isInDetail = false } }
        return table
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

    /// The receipt of the record for the sender with a number, in the text format of COPY with its line end.
    func receipt(sender: String) -> String { "\(id)\t\(day)\t\(sender)\n" }

    private static func line(id: String, at: Int64, day: String, _ fields: CopyText) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(id.utf8.count + 40 + fields.bytes.count)
        line.append(contentsOf: id.utf8)
        line.append(UInt8(ascii: "\t"))
        line.append(contentsOf: RFC3339.text(unixMilliseconds: at).utf8)
        line.append(UInt8(ascii: "\t"))
        line.append(contentsOf: day.utf8)
        line.append(fields.bytes.span)
        line.append(UInt8(ascii: "\n"))
        return line
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
