/// Some of the tags of an append that were put into the buffer in one transaction, or refused together.
package struct AppendedPiece: Sendable, Hashable {
    /// Which of the tags they are.
    package let range: Range<Int>
    /// What became of them; nil where the buffer refused them, and has counted that.
    package let outcome: AppendOutcome?
}

extension TagBuffer {
    /// Appends tags as `append` does, in several transactions where they are too large for one.
    ///
    /// - Parameter bookmark: kept with the last of them.
    /// - Returns: the pieces in the order of the tags. A tag that is too large by itself is a refused piece.
    /// - Throws: what `append` throws, but for `full` and `appendTooLarge`; the pieces before are in the buffer then.
    package func appendInPieces(
        _ tags: [NewTag], of owner: TagOwner = .nobody, bookmark: Bookmark? = nil, isHeld: Bool = false
    ) async throws(StoreError) -> [AppendedPiece] {
        var pieces: [AppendedPiece] = []
        // The ranges that are still to be appended, the first one last.
        var ranges = [0..<tags.count]
        while let range = ranges.popLast(), !range.isEmpty {
            do throws(StoreError) {
                let outcome = try await appendAtOnce(
                    Array(tags[range]), of: owner,
                    bookmark: range.upperBound == tags.count ? bookmark : nil, isHeld: isHeld)
                pieces.append(AppendedPiece(range: range, outcome: outcome))
            } catch {
                switch error {
                case .appendTooLarge where range.count > 1:
                    let middle = range.lowerBound + range.count / 2
                    ranges += [middle..<range.upperBound, range.lowerBound..<middle]
                case .appendTooLarge:
                    countRefused(range.count)
                    pieces.append(AppendedPiece(range: range, outcome: nil))
                case .full: pieces.append(AppendedPiece(range: range, outcome: nil))
                default: throw error
                }
            }
        }
        return pieces
    }
}
