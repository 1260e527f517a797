import ByteReading

/// A content identifier (CID) of a Nielsen tag: sixteen opaque bytes.
///
/// Compare it for equality only. Equal identifiers mean the same source and the same broadcast day. Nothing else can be
/// read from one without a key.
public struct ContentID: Sendable, Hashable, CustomStringConvertible {
    /// The first eight bytes, in big-endian order.
    public let high: UInt64

    /// The last eight bytes, in big-endian order.
    public let low: UInt64

    /// Creates an identifier from its two halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The null CID, `X100zdCIGeIlgZnkYj6UvQ==`, which means that no content was heard.
    @inlinable
    public static var null: ContentID {
        ContentID(high: 0x5F5D_34CD_D088_19E2, low: 0x2581_99E4_623E_94BD)
    }

    /// Whether this is the null CID.
    @inlinable
    public var isNull: Bool { self == .null }

    /// The identifier in the form used in an owner identifier: 24 characters of padded URL-safe base64.
    public var text: String {
        let characters = characters
        // Base64 characters are ASCII, so this is valid UTF-8.
        return unsafe String(unsafeUninitializedCapacity: 24) { text in
            for index in 0..<24 { unsafe text[index] = characters[index] }
            return 24
        }
    }

    /// The characters of `text`, in ASCII.
    package var characters: InlineArray<24, UInt8> {
        // 16 bytes are 128 bits: 21 characters of six bits and one of the last two.
        var characters = InlineArray<24, UInt8>(repeating: 0)
        for index in 0..<10 {
            characters[index] = UInt8(truncatingIfNeeded: high &>> (58 - 6 * UInt64(index))) & 0x3F
            characters[index + 11] = UInt8(truncatingIfNeeded: low &>> (56 - 6 * UInt64(index))) & 0x3F
        }
        characters[10] = UInt8(truncatingIfNeeded: high << 2 | low >> 62) & 0x3F
        characters[21] = UInt8(truncatingIfNeeded: low << 4) & 0x3F
        for index in 0..<24 { characters[index] = URLSafeBase64.character(of: characters[index]) }
        characters[22] = 0x3D
        characters[23] = 0x3D
        return characters
    }

    /// The same text as `text`.
    public var description: String { text }
}
