import ByteReading

/// A compression dictionary: text that many bodies have in common.
///
/// Each row contains the version of its dictionary, so a version stays in `shipped` permanently once it is released.
package struct BodyDictionary: Sendable, Hashable {
    /// The version, starting at 2; every change of the bytes requires a new one.
    package let version: Int64
    /// A dictionary in the format of zstd (RFC 8878, section 5).
    package let bytes: [UInt8]

    /// Creates a dictionary with a version.
    package init(version: Int64, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }

    /// Every dictionary ever shipped, oldest first.
    package static let shipped: [BodyDictionary] = shippedTexts.enumerated().map { index, text in
        BodyDictionary(
            version: BodyEncoding.firstDictionaryVersion + Int64(index),
            bytes: Hexadecimal.bytes(text.filter(\.isHexDigit)) ?? [])
    }
}

/// The encoding of a row's body: the lower half of the column `encoding`.
enum BodyEncoding {
    /// Uncompressed.
    static let plain: Int64 = 0
    /// zstd without a dictionary.
    static let zstd: Int64 = 1
    /// zstd with dictionary version 2; each higher number is the dictionary of that version.
    static let firstDictionaryVersion: Int64 = 2

    /// Returns the body encoding in the column, without the owner.
    static func value(ofColumn column: Int64) -> Int64 { column & 0xFFFF_FFFF }
}
