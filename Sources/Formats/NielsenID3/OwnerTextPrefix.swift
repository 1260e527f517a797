/// The text that a logger writes at the start of each line, such as a date, a level and a name.
///
/// The line in which an identifier begins shows the prefix of a log: the next line has the same one if it begins in the
/// same way. Its numbers may differ, because a prefix contains times and counters.
enum OwnerTextPrefix {
    /// The maximum number of bytes that are compared.
    static let maximumByteCount = 256

    /// Looks at a position, behind a line end and blanks, for the prefix of the line that begins with `first`.
    ///
    /// The prefix is the longest common text that ends in a blank or in a mark such as `:` or `]`, because an
    /// identifier has neither.
    static func read(
        _ first: [UInt8], in bytes: Span<UInt8>, at position: Int, limit: Int, mayGoOn: Bool
    ) -> OwnerTextEscape.Reading {
        var index = first.firstIndex { !isBlank($0) } ?? first.count
        var place = position
        var end = position
        while index < first.count {
            guard place < limit else {
                if mayGoOn { return .undecided }
                break
            }
            let byte = first[index]
            if let isSame = [isBlank, isDigit].first(where: { $0(byte) && $0(bytes[place]) }) {
                while index < first.count, isSame(first[index]) { index += 1 }
                while place < limit, isSame(bytes[place]) { place += 1 }
                if place == limit, mayGoOn { return .undecided }
            } else if byte == bytes[place] {
                index += 1
                place += 1
            } else {
                break
            }
            if isBlank(byte) || isMark(byte) { end = place }
        }
        return end > position ? .found(.linePrefix, length: end - position) : .none
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private static func isMark(_ byte: UInt8) -> Bool { ":])>}|,;".utf8.contains(byte) }
}
