import ByteReading

/// A test that tells a web page address such as `https://www.nielsen.com/us/en/about` from a damaged identifier.
///
/// No single damage makes one look like the other: not a truncation, not a run of missing bytes, not one replaced byte.
/// Therefore an address needs a scheme before the host. Its first piece must end at a `/` before a PC CID could end. No
/// later piece may look like the end of an identifier's piece.
package enum OwnerTextAddress {
    /// The number of bytes examined before the host: the length of a scheme in HTML, `https&#x3A;&#x2F;&#x2F;`.
    static let schemeLength = 23

    /// The number of base64 characters in a PC CID, without padding.
    private static let digitCount = OwnerIdentifier.Offset.fdCID - 3 - OwnerIdentifier.Offset.pcCID

    private static let slashes = ["/", "\\/", "\\u002f", "%2f", "%252f", "&#x2f;", "&#47;"].map {
        Array($0.utf8)
    }
    private static let colons = [":", "%3a", "%253a", "&#x3a;", "&#58;"].map { Array($0.utf8) }

    /// The page for opting out (guide 002, 7.1), which is one with and without a scheme.
    private static let choicePage = Array("digitalprivacy".utf8)

    /// Returns whether the host at a position of a text begins a web page address.
    package static func isPage(in bytes: Span<UInt8>, at position: Int) -> Bool {
        var end = position
        while end < bytes.count, bytes[end] > 0x20, bytes[end] != 0x22 { end += 1 }
        let word = bytes.extracting(position..<end).copy()
        if isChoicePage(word) { return true }
        // The scheme is tested first: no owner of a player has one, and the test of a word takes longer.
        return endsInScheme(bytes.extracting(max(0, position - schemeLength)..<position).copy())
            && isPage(word)
    }

    /// Returns whether a word that begins with the host is the address of the page for opting out.
    static func isChoicePage(_ word: [UInt8]) -> Bool {
        guard word.starts(with: OwnerPlace.domain) else { return false }
        let path = word[OwnerPlace.domain.count...]
        guard path.starts(with: choicePage) else { return false }
        // The path of an id continues with another character of base64.
        return path.dropFirst(choicePage.count).first.map { URLSafeBase64.value(of: $0) >= 64 && $0 != 0x3D }
            ?? true
    }

    /// Returns whether a text ends in a web page scheme, in upper or lower case and with any escapes.
    static func endsInScheme(_ text: [UInt8]) -> Bool {
        let small = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let host = without(slashes, at: small[...]), let first = without(slashes, at: host),
            let name = without(colons, at: first)
        else { return false }
        return name.ends(with: "https") || name.ends(with: "http")
    }

    /// Returns the text without the longest matching ending; returns nil if none matches.
    private static func without(_ endings: [[UInt8]], at text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let found = endings.filter { text.suffix($0.count).elementsEqual($0) }.max { $0.count < $1.count }
        return found.map { text.dropLast($0.count) }
    }

    /// Returns whether a word that begins with the host is a web page address, provided that a scheme precedes it.
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

    /// Returns whether a piece ends in an equals sign, as padded base64 does, or in an escape of one.
    private static func endsInEqualsSign(_ piece: ArraySlice<UInt8>) -> Bool {
        guard piece.last != 0x3D else { return true }
        return piece.suffix(2).elementsEqual("3d".utf8) || piece.suffix(2).elementsEqual("3D".utf8)
    }

    private static func isNumber(_ piece: ArraySlice<UInt8>) -> Bool { piece.allSatisfy { $0 &- 0x30 < 10 } }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
