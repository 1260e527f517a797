import ByteReading

/// The form of an address for reports and records, without its secrets.
///
/// `…` with eight hexadecimal digits of a keyed hash replaces the user with the password, and also the query, so that
/// two addresses that differ only in them stay different. A path without `://` is unchanged, since `?` is a part of its
/// name.
package enum PrintableAddress {
    private static let mark = "…"

    /// The key of the hashes: the id of the machine, so that two runs give an address the same form.
    ///
    /// A container without one has the id of the boot. Neither is sent anywhere, so a query cannot be guessed from its
    /// hash without access to the machine.
    private static let key: [UInt8] = {
        for path in ["/etc/machine-id", "/proc/sys/kernel/random/boot_id"] {
            do throws(SystemError) {
                let id = try FileSystem.firstBytes(of: path, 36).filter { $0 > 0x20 }
                if id.count >= 32 { return Array("dtvr address".utf8) + id }
            } catch {
                continue
            }
        }
        var generator = SystemRandomNumberGenerator()
        return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }()

    /// Whether a text is or contains an address of a network, rather than a path.
    package static func isNetwork(_ text: String) -> Bool {
        let bytes = text.utf8
        var start = bytes.startIndex
        while let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")) {
            start = bytes.index(after: colon)
            if bytes[start...].starts(with: "//".utf8) { return true }
        }
        return false
    }

    /// Whether a text has one of the characters that mark a user or a query.
    ///
    /// Most addresses have none, and the search for secrets takes a hundred times as long as this one.
    package static func mayHaveSecret(_ text: String) -> Bool { text.utf8.contains(where: marksSecret) }

    /// Whether a text in UTF-8 has one of these characters.
    package static func mayHaveSecret(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where marksSecret(text[index]) { return true }
        return false
    }

    private static func marksSecret(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "@") || byte == UInt8(ascii: "?")
    }

    /// Returns an address without its secrets.
    package static func of(_ address: String) -> String { of(reference: address, inNetwork: false) }

    /// Returns a reference in a playlist without its secrets.
    ///
    /// The query extends to the end, even if it is invalid and contains blanks.
    ///
    /// - Parameter isInNetwork: Whether the playlist was loaded from a network, so that a relative reference is not a
    ///   path.
    package static func of(reference: String, inNetwork isInNetwork: Bool) -> String {
        guard mayHaveSecret(reference), isInNetwork || isNetwork(reference) else { return reference }
        var result = ""
        var rest = reference[...]
        let scheme = rest.hasPrefix("//") ? rest.startIndex : rest.firstRange(of: ":")?.upperBound
        if let scheme, rest[scheme...].hasPrefix("//") {
            result = String(rest[..<scheme]) + "//"
            rest = rest[scheme...].dropFirst(2)
            let authority = rest.prefix { !"/?#".contains($0) }
            if let at = authority.lastIndex(of: "@") {
                result += hidden(authority[..<at])
                rest = rest[at...]
            }
        }
        guard let start = rest.firstIndex(of: "?") else { return result + rest }
        let query = rest[start...].dropFirst()
        return result + rest[..<start] + "?" + hidden(query)
    }

    /// Returns a message without the secrets of the addresses in it.
    ///
    /// - Parameter isInNetwork: Whether the message may contain relative references from a network.
    package static func of(message: String, inNetwork isInNetwork: Bool = false) -> String {
        var result = ""
        var rest = message[...]
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isWhitespace && $0 != "\"" }
            let end = word.lastIndex { !":,;.)".contains($0) }.map(word.index(after:)) ?? word.startIndex
            result += of(reference: String(word[..<end]), inNetwork: isInNetwork)
            result += word[end...]
            rest = rest[word.endIndex...]
            if let separator = rest.popFirst() { result.append(separator) }
        }
        return result
    }

    /// Returns the replacement for a secret; one that is already replaced, or empty, is unchanged.
    private static func hidden(_ secret: Substring) -> String {
        if secret.isEmpty || isReplacement(secret) { return String(secret) }
        let code = MessageAuthentication.sha256(of: Array(secret.utf8), key: key)
        return mark + Hexadecimal.text(code.prefix(4))
    }

    private static func isReplacement(_ secret: Substring) -> Bool {
        guard secret.hasPrefix(mark) else { return false }
        let digits = secret.dropFirst()
        return digits.isEmpty || digits.utf8.count == 8 && digits.allSatisfy(\.isHexDigit)
    }
}
