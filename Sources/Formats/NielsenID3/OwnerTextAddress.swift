import ByteReading

/// Tells the address of a web page from what is left of an identifier: `https://www.nielsen.com/us/en/about`.
///
/// No damage of one kind makes the one look like the other: not a cut, not bytes that are missing in a row, not one
/// byte that is another. So there must be a scheme in front, the first piece must end at a `/` before the PC CID
/// could, and nothing behind it may be the end of another piece.
enum OwnerTextAddress {
    /// How many bytes in front of the domain are looked at: those of `https://`.
    static let schemeLength = 8

    /// How many characters of base64 the PC CID has.
    private static let digitCount = OwnerIdentifier.Place.fdCID - 3 - OwnerIdentifier.Place.pcCID

    /// Whether a text ends in the scheme of a web page, its letters in either case.
    static func endsInScheme(_ text: [UInt8]) -> Bool {
        let small = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return small.suffix(8) == Array("https://".utf8) || small.suffix(7) == Array("http://".utf8)
    }

    /// Whether the word that begins with the domain is the address of a page where a scheme stands in front.
    static func isPage(_ word: [UInt8]) -> Bool {
        guard word.starts(with: OwnerPlace.domain) else { return false }
        let pieces = word[OwnerPlace.domain.count...].split(separator: 0x2F, omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1,
            1..<digitCount ~= first.count,
            first.allSatisfy({ URLSafeBase64.value(of: $0) < 64 })
        else { return false }
        return !pieces.contains(where: endsInEqualsSign)
            && !pieces.contains { $0.count == 5 && isNumber($0) }
            && !(last.count == 2 && isNumber(last))
    }

    /// Whether a piece ends as base64 does: in an equals sign, or in an escape of one.
    private static func endsInEqualsSign(_ piece: ArraySlice<UInt8>) -> Bool {
        guard piece.last != 0x3D else { return true }
        return piece.suffix(2).elementsEqual("3d".utf8) || piece.suffix(2).elementsEqual("3D".utf8)
    }

    private static func isNumber(_ piece: ArraySlice<UInt8>) -> Bool { piece.allSatisfy { $0 &- 0x30 < 10 } }
}
