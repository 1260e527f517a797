import Glibc
internal import Synchronization

/// The bodies of one append while they are compressed: piece by piece, by the thread that brought them and, where
/// it has nothing else to do, by the store's own.
///
/// The store's thread may adopt the append: it then inserts each piece as soon as it is there, and compresses
/// pieces that are not. Where nobody has adopted it, whoever finishes the last piece gets the whole.
final class AppendPreparation: Sendable {
    /// How many rows are compressed at once: some 20 µs of work, and as many as one statement inserts.
    static let pieceRowCount = 16

    private struct State {
        var next = 0
        var unfinished = 0
        var pieces: [EncodedPiece?]
        var byteCount = 0
        var isTooLarge = false
        var isAdopted = false
    }

    let tags: [NewTag]
    let receivedWall: Int64
    let receivedBoot: Int64
    private let maximumByteCount: Int
    private let state: Mutex<State>

    /// - Parameter tags: One at the least.
    init(_ tags: [NewTag], receivedWall: Int64, receivedBoot: Int64, maximumByteCount: Int) {
        self.tags = tags
        self.receivedWall = receivedWall
        self.receivedBoot = receivedBoot
        self.maximumByteCount = maximumByteCount
        let count = (tags.count + Self.pieceRowCount - 1) / Self.pieceRowCount
        state = Mutex(State(pieces: Array(repeating: nil, count: count)))
    }

    /// Whether two threads have something to do.
    var canBeShared: Bool { tags.count > Self.pieceRowCount }

    var pieceCount: Int { (tags.count + Self.pieceRowCount - 1) / Self.pieceRowCount }

    /// What the stored bodies take at most: one that does not shrink is stored as it came.
    var largestByteCount: Int { tags.reduce(0) { $0 + $1.body.count } }

    /// Takes the append over, for `piece(_:compress:)`; false where it may be too large, or has been finished.
    func adopt() -> Bool {
        guard largestByteCount + tags.count * 48 <= maximumByteCount else { return false }
        return state.withLock { state in
            guard state.next < state.pieces.count || state.unfinished > 0 else { return false }
            state.isAdopted = true
            return true
        }
    }

    /// A piece of an adopted append, as soon as it is there; meanwhile others are compressed with the closure.
    ///
    /// The other thread's last piece is waited for awake: it is microseconds away, and every yield gives way to it.
    func piece(_ number: Int, compress: (ArraySlice<NewTag>) -> EncodedPiece) -> EncodedPiece {
        while true {
            if let piece = state.withLock({ $0.pieces[number] }) { return piece }
            if let claimed = claim() {
                _ = finish(compress(tags(ofPiece: claimed)), number: claimed)
            } else {
                sched_yield()
            }
        }
    }

    /// An adopted append as a whole.
    func whole(compress: (ArraySlice<NewTag>) -> EncodedPiece) -> EncodedAppend {
        EncodedAppend(
            pieces: (0..<pieceCount).map { piece($0, compress: compress) }, receivedWall: receivedWall,
            receivedBoot: receivedBoot)
    }

    /// The number of a piece that nobody works on yet; nil where none is left.
    func claim() -> Int? {
        state.withLock { state in
            guard state.next < state.pieces.count else { return nil }
            state.next += 1
            state.unfinished += 1
            return state.next - 1
        }
    }

    /// The tags of a piece.
    func tags(ofPiece number: Int) -> ArraySlice<NewTag> {
        let start = number * Self.pieceRowCount
        return tags[start..<min(start + Self.pieceRowCount, tags.count)]
    }

    /// Takes a claimed piece; gives the append where it was the last one, to exactly one caller, unless the append
    /// was adopted.
    func finish(_ piece: EncodedPiece, number: Int) -> Result<EncodedAppend, StoreError>? {
        state.withLock { state -> Result<EncodedAppend, StoreError>? in
            state.pieces[number] = piece
            state.unfinished -= 1
            state.byteCount += piece.bytes.count + piece.entries.count * 48
            if state.byteCount > maximumByteCount {
                state.isTooLarge = true
                state.next = state.pieces.count
            }
            guard state.next == state.pieces.count, state.unfinished == 0, !state.isAdopted else {
                return nil
            }
            if state.isTooLarge {
                let byteCount = tags.reduce(0) { $0 + $1.body.count }
                return .failure(.appendTooLarge(byteCount: byteCount, limit: maximumByteCount))
            }
            return .success(
                EncodedAppend(
                    pieces: state.pieces.compactMap(\.self), receivedWall: receivedWall,
                    receivedBoot: receivedBoot))
        }
    }
}
