internal import ByteReading

/// The fields of a row except its body.
struct RowFields: Sendable, Hashable {
    var sequence: Int64
    var id: TagID
    var receivedWall: Int64
    var receivedBoot: Int64
    var epoch: Int64
    /// The encoding of the body and the owner of the tag: see `BodyEncoding` and `TagOwner`.
    var encoding: Int64

    /// The owner of the tag.
    var owner: TagOwner { TagOwner(ofColumn: encoding) }

    /// Returns the CRC-32 (ISO-HDLC, as in zlib) of the row.
    ///
    /// It covers all fields, big-endian and in the order of declaration, followed by the body.
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

/// A copy of a row with its body in stored form.
struct StoredRow: Sendable, Hashable {
    let fields: RowFields
    let body: [UInt8]

    /// The approximate size in memory.
    var byteCount: Int { body.count + 128 }
}
