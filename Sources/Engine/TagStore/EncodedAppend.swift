/// The tags of one append, their bodies compressed side by side in one array.
struct EncodedAppend: Sendable {
    struct Entry: Sendable, Hashable {
        let id: TagID
        let encoding: Int64
        /// Where the body is in `bytes`.
        let body: Range<Int>
    }

    let entries: [Entry]
    let bytes: [UInt8]
    let receivedWall: Int64
    let receivedBoot: Int64

    var rowCount: Int { entries.count }

    /// What the rows take in the database: their bodies, and as much again as the fields beside one need.
    var byteCount: Int { bytes.count + entries.count * 48 }
}
