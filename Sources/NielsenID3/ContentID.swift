import TimedMedia

/// A content identifier (CID) of a Nielsen tag: sixteen opaque bytes.
///
/// Compare it for equality only. Equal identifiers mean the same source and the same broadcast day; nothing
/// else can be read from one without a key.
public struct ContentID: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes, the first the most significant.
    public let high: UInt64

    /// The last eight bytes.
    public let low: UInt64

    /// The identifier with these bytes.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The null CID, `X100zdCIGeIlgZnkYj6UvQ==`: no content was heard.
    @inlinable
    public static var null: ContentID {
        ContentID(high: 0x5F5D_34CD_D088_19E2, low: 0x2581_99E4_623E_94BD)
    }

    /// Whether this is the null CID.
    @inlinable
    public var isNull: Bool { self == .null }

    /// The 24 characters that stand for the identifier in an owner identifier: URL-safe base64, padded.
    public var text: String {
        unsafe String(unsafeUninitializedCapacity: 24) { text in
            // 16 bytes are 128 bits: 21 characters of six bits and one of the last two. Every index is below 24.
            for index in 0..<22 {
                let shift = 122 - 6 * index
                let bits = shift >= 0 ? bits(above: shift) : bits(above: 0) << 4
                unsafe text[index] = URLSafeBase64.character(of: UInt8(truncatingIfNeeded: bits) & 0x3F)
            }
            unsafe text[22] = 0x3D
            unsafe text[23] = 0x3D
            return 24
        }
    }

    /// The text, as in `text`.
    public var description: String { text }

    /// The identifier without its lowest `shift` bits, cut off at 64.
    private func bits(above shift: Int) -> UInt64 {
        guard shift < 64 else { return high >> UInt64(shift - 64) }
        return shift == 0 ? low : low >> UInt64(shift) | high << UInt64(64 - shift)
    }
}
