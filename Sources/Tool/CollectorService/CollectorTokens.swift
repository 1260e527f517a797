/// The tokens of a collector's senders, each with the name of the sender.
package struct CollectorTokens: Sendable, Hashable {
    /// A reason to refuse a token file; it never contains a token.
    package enum Defect: Error, Sendable, Hashable, CustomStringConvertible {
        /// The file has no token.
        case empty
        /// A token has characters other than printable ASCII.
        case invalidToken(line: Int)
        /// A name has characters other than letters, digits, `.`, `_` and `-`, or more than 64 of them.
        case invalidName(line: Int)
        /// The token is in an earlier line, too.
        case duplicate(line: Int)

        /// A description to follow the name of the file.
        package var description: String {
            switch self {
            case .empty: "does not contain a token of printable ASCII"
            case .invalidToken(let line): "line \(line) does not contain a token of printable ASCII"
            case .invalidName(let line):
                "line \(line): a name has at most 64 letters, digits, dots, underscores and hyphens"
            case .duplicate(let line): "line \(line) repeats a token"
            }
        }
    }

    private struct Token: Hashable {
        let bytes: [UInt8]
        let name: String
    }

    /// The name of a sender whose token has none.
    static let nameWithoutName = "unnamed"
    /// The name of all senders of a collector without tokens.
    static let nameWithoutToken = "anonymous"

    private var tokens: [Token] = []

    /// Parses a file with one token per line, each followed by blanks and the name of its sender, or alone.
    package init(parsing text: String) throws(Defect) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let token = words.first else { continue }
            guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .invalidToken(line: index + 1)
            }
            guard words.count <= 2, Self.isName(words.count == 2 ? words[1] : "x") else {
                throw .invalidName(line: index + 1)
            }
            let bytes = Array(token.utf8)
            if tokens.contains(where: { $0.bytes == bytes }) { throw .duplicate(line: index + 1) }
            let name = words.count == 2 ? String(words[1]) : Self.nameWithoutName
            tokens.append(Token(bytes: bytes, name: name))
        }
        if tokens.isEmpty { throw .empty }
    }

    private static func isName(_ text: Substring) -> Bool {
        text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns the name that belongs to the token in an `Authorization` field; nil if the token is unknown.
    ///
    /// Compares with all tokens in constant time, so that the duration does not reveal a partial match.
    func name(authorization field: String?) -> String? {
        let field = Array((field ?? "").utf8)
        let scheme = Array("bearer ".utf8)
        let isBearer =
            field.count >= scheme.count && zip(field, scheme).allSatisfy { $0 | 0x20 == $1 || $0 == $1 }
        let given = isBearer ? Array(field[scheme.count...]) : []
        var name: String?
        for token in tokens {
            var difference = given.count ^ token.bytes.count
            for index in 0..<given.count {
                difference |= Int(given[index] ^ token.bytes[index % token.bytes.count])
            }
            if difference == 0 { name = token.name }
        }
        return name
    }
}
