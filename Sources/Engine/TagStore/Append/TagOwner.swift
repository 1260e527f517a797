internal import ByteReading

/// Whose tags are: where several share a buffer, none of them fills it with its own.
///
/// Stands in the upper half of a row's column `encoding`.
package struct TagOwner: Sendable, Hashable {
    /// Below 2^31; 0 is nobody.
    private let number: UInt32

    private static let mask: UInt32 = 0x7FFF_FFFF

    /// Of tags that share with nobody.
    package static let nobody = TagOwner(number: 0)

    private init(number: UInt32) { self.number = number }

    /// A channel of a monitor; the same in each process.
    ///
    /// Two channels may, rarely, be one owner.
    package init(channel: String) {
        let bytes = Array(channel.utf8)
        number = max(1, CRC32.of(bytes.span) & Self.mask)
    }

    /// The owner that a column says.
    init(ofColumn column: Int64) {
        number = UInt32(truncatingIfNeeded: column >> 32) & Self.mask
    }

    /// What the column says of a body of this owner.
    func column(encoding: Int64) -> Int64 { Int64(number) << 32 | BodyEncoding.value(ofColumn: encoding) }

    /// The upper half of the column.
    var upperHalf: Int64 { Int64(number) }
}
