/// The tags of one append, with their stored bodies concatenated in one array.
struct EncodedAppend: Sendable {
    struct Entry: Sendable, Hashable {
        let id: TagID
        /// The value of the column: the encoding of the body and the owner of the tag.
        let encoding: Int64
        /// The range of the body in `bytes`.
        let body: Range<Int>

        var owner: TagOwner { TagOwner(ofColumn: encoding) }

        /// The approximate size of the row in the database.
        var byteCount: Int { body.count + EncodedAppend.fieldByteCount }
    }

    /// The approximate size of a row in the database without its body.
    static let fieldByteCount = 48

    let entries: [Entry]
    let bytes: [UInt8]
    /// The owner of all tags that have no other one.
    let owner: TagOwner
    let receivedWall: Int64
    let receivedBoot: Int64
    /// The position of the reader of these tags; nil if it is not stored.
    var bookmark: Bookmark?
    /// Whether the tags are held back from delivery until they are released.
    var isHeld = false

    var rowCount: Int { entries.count }

    /// The size of the rows that are records other than tags.
    var recordByteCount: Int {
        entries.reduce(0) { count, entry in
            entry.owner.admitted == .records ? count + entry.byteCount : count
        }
    }

    /// The approximate size of the rows in the database.
    var byteCount: Int { bytes.count + entries.count * Self.fieldByteCount }
}
