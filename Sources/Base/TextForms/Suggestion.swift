/// Suggestions for misspelled words.
package enum Suggestion {
    /// Returns `; did you mean 'X'?` with the known word nearest to a misspelled one; empty if none is near.
    ///
    /// Without a near word, it names the words that contain the given one: `pmt` for `carriage.pmt-descriptors`.
    package static func text(for word: String, among known: some Sequence<String>) -> String {
        let words = nearest(to: word, among: known).map { [$0] } ?? containing(word, among: known)
        guard let last = words.last else { return "" }
        let others = words.dropLast().map { "'\($0)'" }.joined(separator: ", ")
        return "; did you mean \(others.isEmpty ? "" : others + " or ")'\(last)'?"
    }

    /// Returns the first known words that contain `word`, which must have at least three letters.
    private static func containing(_ word: String, among known: some Sequence<String>) -> [String] {
        let part = word.lowercased()
        guard part.utf8.count >= 3 else { return [] }
        return Array(known.lazy.filter { $0.lowercased().contains(part) }.prefix(4))
    }

    /// Returns the first known word with the fewest edits, or nil if all need too many.
    static func nearest(to word: String, among known: some Sequence<String>) -> String? {
        let letters = Array(word.lowercased().utf8)
        // Longer words permit more errors; words beyond this length are not typed by hand.
        guard (2...64).contains(letters.count) else { return nil }
        let most = min(3, max(1, letters.count / 3))
        return known.map { (word: $0, distance: distance(letters, Array($0.lowercased().utf8))) }
            .filter { $0.distance <= most }
            .min { $0.distance < $1.distance }?.word
    }

    /// Returns the edit distance of two words: insertions, deletions, replacements and swaps of neighbors (optimal
    /// string alignment).
    package static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (letter == otherLetter ? 0 : 1))
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
