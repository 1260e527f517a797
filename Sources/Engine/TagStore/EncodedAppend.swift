/// Some tags of one append, compressed, side by side in one array.
struct EncodedPiece: Sendable {
    struct Entry: Sendable, Hashable {
        let id: TagID
        let encoding: Int64
        let bytes: Range<Int>
    }

    let entries: [Entry]
    let bytes: [UInt8]
}

/// Tags of one append, compressed, on their way to the disk.
struct EncodedAppend: Sendable {
    let pieces: [EncodedPiece]
    let rowCount: Int
    let byteCount: Int
    let receivedWall: Int64
    let receivedBoot: Int64

    init(pieces: [EncodedPiece], receivedWall: Int64, receivedBoot: Int64) {
        self.pieces = pieces
        self.receivedWall = receivedWall
        self.receivedBoot = receivedBoot
        rowCount = pieces.reduce(0) { $0 + $1.entries.count }
        byteCount = pieces.reduce(0) { $0 + $1.bytes.count }
    }
}
