import ByteReading

/// The header of a box: its size and its type (ISO/IEC 14496-12, 4.2.2).
///
///     size (4)  type (4)  [largesize (8) where size is 1]  [usertype (16) where type is uuid]
package struct BoxHeader: Sendable, Hashable {
    /// The type of the box.
    package let type: BoxType

    /// The sixteen bytes of a `uuid` box's type; nil for other types.
    package let userType: [UInt8]?

    /// The length of the box in bytes, this header included; nil if the box extends to the end of the file.
    package let size: UInt64?

    /// The length of the header in bytes: 8, 16, 24 or 32.
    package let length: Int

    /// Returns the length of the header at the start of `bytes`; nil if there are too few bytes to determine it.
    package static func length(of bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= 8 else { return nil }
        let isLarge = bytes.bigEndianUInt32(at: 0) == 1
        let isUUID = bytes.bigEndianUInt32(at: 4) == BoxType.universallyUnique.rawValue
        return 8 + (isLarge ? 8 : 0) + (isUUID ? 16 : 0)
    }

    /// Reads the header at the start of `bytes`, which is at `offset` in the file.
    package init(_ bytes: Span<UInt8>, offset: UInt64) throws(ISOBMFFError) {
        guard let length = Self.length(of: bytes), bytes.count >= length else {
            throw .truncated(
                at: offset, type: BoxType(rawValue: bytes.count >= 8 ? bytes.bigEndianUInt32(at: 4) : 0),
                needed: 8, available: UInt64(bytes.count))
        }
        self.length = length
        type = BoxType(rawValue: bytes.bigEndianUInt32(at: 4))
        userType = type == .universallyUnique ? bytes.copy(length - 16..<length) : nil
        let short = bytes.bigEndianUInt32(at: 0)
        let stated: UInt64 = short == 1 ? bytes.bigEndianUInt64(at: 8) : UInt64(short)
        size = short == 0 ? nil : stated
        guard short == 0 || stated >= UInt64(length) else {
            throw .sizeTooSmall(at: offset, type: type, size: stated)
        }
    }
}
