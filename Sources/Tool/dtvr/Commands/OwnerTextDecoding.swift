/// The conversion of a text in UTF-16, as Windows tools write it, to the ASCII that owner identifiers need.
///
/// Text without a byte order mark is passed on unchanged. Characters outside of ASCII become question marks, so that a
/// column is that of a character.
struct OwnerTextDecoding {
    /// Whether the first byte of each unit is the higher one; nil if the text is not in UTF-16.
    private let isBigEndian: Bool?
    private var rest: [UInt8] = []

    /// Creates the decoding of a text by its first bytes.
    init(front: ArraySlice<UInt8>) {
        isBigEndian =
            front.starts(with: [0xFE, 0xFF]) ? true : front.starts(with: [0xFF, 0xFE]) ? false : nil
    }

    /// Returns the next bytes as ASCII, or unchanged if the text is not in UTF-16.
    mutating func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard let isBigEndian else { return Array(bytes) }
        let units = rest + bytes
        rest = units.count.isMultiple(of: 2) ? [] : [units[units.count - 1]]
        var text: [UInt8] = []
        text.reserveCapacity(units.count / 2)
        for index in stride(from: 0, to: units.count - 1, by: 2) {
            let (high, low) = (units[isBigEndian ? index : index + 1], units[isBigEndian ? index + 1 : index])
            // The byte order mark is not a character.
            if high == 0xFE, low == 0xFF { continue }
            text.append(high == 0 && low < 0x80 ? low : UInt8(ascii: "?"))
        }
        return text
    }
}
