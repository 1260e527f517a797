internal import ByteReading

/// The fields of a row that stand beside its body.
struct RowFields: Sendable, Hashable {
    var sequence: Int64
    var id: TagID
    var receivedWall: Int64
    var receivedBoot: Int64
    var epoch: Int64
    /// How the body is written, and whose the tag is: see `BodyEncoding` and `TagOwner`.
    var encoding: Int64

    /// Whose the tag is.
    var owner: TagOwner { TagOwner(ofColumn: encoding) }

    /// CRC-32 (ISO-HDLC, as in zlib) over all fields, big-endian, in the order of declaration, then the body.
    func checksum(body: Span<UInt8>) -> Int64 {
        let words =
            [
                UInt64(bitPattern: sequence).bigEndian, id.high.bigEndian, id.low.bigEndian,
                UInt64(bitPattern: receivedWall).bigEndian, UInt64(bitPattern: receivedBoot).bigEndian,
                UInt64(bitPattern: epoch).bigEndian, UInt64(bitPattern: encoding).bigEndian,
            ] as InlineArray<7, UInt64>
        return Int64(CRC32.of(body, continuing: CRC32.of(bigEndian: words.span)))
    }
}

/// A copy of a row, its body as it is stored.
struct StoredRow: Sendable, Hashable {
    let fields: RowFields
    let body: [UInt8]

    /// What it takes in memory, near enough.
    var byteCount: Int { body.count + 128 }
}
