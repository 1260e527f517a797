import ByteReading

/// What a body may be compressed against: text that many bodies share.
///
/// Rows name the version that they were written with, so a version, once shipped, stays in `shipped` for ever.
package struct BodyDictionary: Sendable, Hashable {
    /// From 2 up; a new version for every change of the bytes.
    package let version: Int64
    /// A dictionary as zstd trains it (RFC 8878, section 5).
    package let bytes: [UInt8]

    /// A dictionary of a version.
    package init(version: Int64, bytes: [UInt8]) {
        self.version = version
        self.bytes = bytes
    }

    /// Every dictionary that was ever shipped, oldest first.
    package static let shipped: [BodyDictionary] = ShippedDictionaries.texts.enumerated().map { index, text in
        BodyDictionary(
            version: BodyEncoding.firstDictionaryVersion + Int64(index),
            bytes: Hexadecimal.bytes(text.filter(\.isHexDigit)) ?? [])
    }
}

/// How a row's body is written: the lower half of its column `encoding`.
enum BodyEncoding {
    /// As it came.
    static let plain: Int64 = 0
    /// zstd, no dictionary.
    static let zstd: Int64 = 1
    /// zstd with the dictionary of this version; every higher number is the dictionary of that version.
    static let firstDictionaryVersion: Int64 = 2

    /// What the column says of the body, beside its owner.
    static func value(ofColumn column: Int64) -> Int64 { column & 0xFFFF_FFFF }
}
