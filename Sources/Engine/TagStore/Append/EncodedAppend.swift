/// The tags of one append, their bodies as they are stored, side by side in one array.
struct EncodedAppend: Sendable {
    struct Entry: Sendable, Hashable {
        let id: TagID
        /// The column: how the body is written, and whose the tag is.
        let encoding: Int64
        /// Where the body is in `bytes`.
        let body: Range<Int>
    }

    /// What a row takes in the database beside its body, near enough.
    static let fieldByteCount = 48

    let entries: [Entry]
    let bytes: [UInt8]
    /// Whose all of them are.
    let owner: TagOwner
    let receivedWall: Int64
    let receivedBoot: Int64
    /// How far who read them has come; nil where that is not kept.
    var bookmark: Bookmark?
    /// Whether the tags are kept from being delivered until they are released.
    var isHeld = false

    var rowCount: Int { entries.count }

    /// What the rows take in the database, near enough.
    var byteCount: Int { bytes.count + entries.count * Self.fieldByteCount }
}
