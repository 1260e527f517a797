/// A part of an append that was stored in one transaction or refused as a whole.
package struct AppendedPiece: Sendable, Hashable, Codable {
    /// The range of the tags within the append, or within the request of another process.
    package let range: Range<Int>
    /// The outcome; nil if the buffer refused the tags and counted the refusal.
    package let outcome: AppendOutcome?
}

extension TagBuffer {
    /// Appends tags like `append`, split into several transactions if they are too large for one.
    ///
    /// - Parameter bookmark: Stored with the last piece.
    /// - Returns: The pieces in the order of the tags. A single tag that is too large is a refused piece.
    /// - Throws: The errors of `append`, except `full` and `appendTooLarge`. Earlier pieces are in the buffer then.
    package func appendInPieces(
        _ tags: [NewTag], of owner: TagOwner = .nobody, bookmark: Bookmark? = nil, isHeld: Bool = false
    ) async throws(StoreError) -> [AppendedPiece] {
        var pieces: [AppendedPiece] = []
        // The remaining ranges; the next one is last.
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
