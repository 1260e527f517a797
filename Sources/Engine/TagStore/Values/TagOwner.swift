internal import ByteReading

/// The owner of tags, which prevents one of several sources from filling a shared buffer.
///
/// Stored in the upper half of a row's column `encoding`.
package struct TagOwner: Sendable, Hashable {
    /// A number below 2^31, and the bit of `quarantined`; 0 means no owner.
    private let number: UInt32

    private static let mask: UInt32 = 0x7FFF_FFFF

    /// The value for tags without an owner.
    package static let nobody = TagOwner(number: 0)

    /// The owner of records other than tags, which may use only `OwnerUse.recordShare` of a full buffer.
    package static let records = TagOwner(number: mask)

    private init(number: UInt32) { self.number = number }

    /// Creates the owner for a channel of a monitor, which is the same in every process.
    ///
    /// In rare cases, two channels map to the same owner.
    package init(channel: String) {
        let bytes = Array(channel.utf8)
        number = min(max(1, CRC32.of(bytes.span) & Self.mask), Self.mask - 1)
    }

    // MARK: Quarantined tags

    /// The owner of the same tags in quarantine: until `admit`, also across launches, they are not delivered.
    package var quarantined: TagOwner { TagOwner(number: number | ~Self.mask) }

    /// The owner of the same tags once they may be delivered.
    var admitted: TagOwner { TagOwner(number: number & Self.mask) }

    /// Whether the tags are in quarantine: their column is negative.
    var isQuarantined: Bool { number > Self.mask }

    // MARK: Columns

    /// Decodes the owner in a column.
    init(ofColumn column: Int64) { number = UInt32(truncatingIfNeeded: column >> 32) }

    /// Returns the value of the column for a body of this owner.
    func column(encoding: Int64) -> Int64 { upperHalf << 32 | BodyEncoding.value(ofColumn: encoding) }

    /// The upper half of the column.
    var upperHalf: Int64 { Int64(Int32(bitPattern: number)) }
}

extension TagOwner: Codable {
    /// Decodes the number of an owner.
    package init(from decoder: any Decoder) throws {
        self.init(ofColumn: Int64(try decoder.singleValueContainer().decode(UInt32.self)) << 32)
    }

    /// Encodes the number of the owner.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
