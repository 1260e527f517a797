import Testing

@testable import TagStore

@Suite struct AppendPreparationTests {
    private static let tags = (0..<50).map { NewTag(body: [UInt8(truncatingIfNeeded: $0)]) }

    private static func preparation(limit: Int = .max) -> AppendPreparation {
        AppendPreparation(tags, receivedWall: 1, receivedBoot: 2, maximumByteCount: limit)
    }

    private static func piece(_ preparation: AppendPreparation, _ number: Int) -> EncodedPiece {
        var entries: [EncodedPiece.Entry] = []
        var bytes: [UInt8] = []
        for tag in preparation.tags(ofPiece: number) {
            entries.append(.init(id: tag.id, encoding: 0, bytes: bytes.count..<bytes.count + 1))
            bytes += tag.body
        }
        return EncodedPiece(entries: entries, bytes: bytes)
    }

    /// Every order in which four pieces can be finished.
    private static let orders: [[Int]] = (0..<4).reduce([[]]) { orders, _ in
        orders.flatMap { order in (0..<4).filter { !order.contains($0) }.map { order + [$0] } }
    }

    @Test(arguments: orders) func pieces_finishedInEveryOrder_giveTheAppendOnceInOrder(
        _ order: [Int]
    ) throws {
        let preparation = Self.preparation()
        #expect(preparation.canBeShared)
        #expect((0..<4).map { _ in preparation.claim() } == [0, 1, 2, 3])
        #expect(preparation.claim() == nil)
        for number in order.dropLast() {
            #expect(preparation.finish(Self.piece(preparation, number), number: number) == nil)
        }
        let last = try #require(order.last)
        let result = try #require(preparation.finish(Self.piece(preparation, last), number: last))
        let encoded = try result.get()
        #expect(encoded.rowCount == 50)
        #expect(encoded.byteCount == 50)
        #expect(encoded.pieces.flatMap(\.bytes) == Self.tags.flatMap(\.body))
        #expect(encoded.pieces.flatMap(\.entries).map(\.id) == Self.tags.map(\.id))
    }

    @Test func pieces_finishedBeforeTheNextIsClaimed_waitForIt() throws {
        let preparation = Self.preparation()
        for number in 0..<4 {
            #expect(preparation.claim() == number)
            let result = preparation.finish(Self.piece(preparation, number), number: number)
            #expect((result == nil) == (number < 3))
        }
    }

    /// What is over the limit ends the claims; whoever finishes last still answers, and nobody else.
    @Test func pieces_overTheLimit_areAnsweredOnceAndNotGoneOnWith() throws {
        let row = 1 + 48
        for (limit, finished) in [(15 * row, 1), (31 * row, 2), (49 * row, 4)] {
            let preparation = Self.preparation(limit: limit)
            for number in 0..<finished {
                #expect(preparation.claim() == number)
                let result = preparation.finish(Self.piece(preparation, number), number: number)
                #expect((result == nil) == (number < finished - 1))
                if case .success = result { Issue.record("\(limit) bytes were not too many") }
            }
            #expect(preparation.claim() == nil)
        }
        let preparation = Self.preparation(limit: 15 * row)
        #expect(preparation.claim() == 0)
        #expect(preparation.claim() == 1)
        #expect(preparation.finish(Self.piece(preparation, 0), number: 0) == nil)
        #expect(preparation.claim() == nil)
        let result = try #require(preparation.finish(Self.piece(preparation, 1), number: 1))
        #expect(throws: StoreError.appendTooLarge(byteCount: 50, limit: 15 * row)) { try result.get() }
    }

    /// However many pieces the caller has claimed and finished by then, the adopter gets all of them in order.
    @Test(arguments: 0...3) func adoption_afterSomePieces_givesThemAllToTheAdopter(_ count: Int) {
        let preparation = Self.preparation()
        for number in 0..<count {
            #expect(preparation.claim() == number)
            #expect(preparation.finish(Self.piece(preparation, number), number: number) == nil)
        }
        #expect(preparation.adopt())
        var compressed = 0
        let encoded = preparation.whole { tags in
            compressed += 1
            return Self.piece(preparation, (tags.startIndex) / AppendPreparation.pieceRowCount)
        }
        #expect(compressed == 4 - count)
        #expect(encoded.pieces.flatMap(\.bytes) == Self.tags.flatMap(\.body))
        #expect(encoded.rowCount == 50)
        #expect(preparation.claim() == nil)
    }

    /// The last piece of an adopted append is no answer to the one who finishes it.
    @Test func pieces_ofAnAdoptedAppend_giveNobodyElseTheWhole() {
        let preparation = Self.preparation()
        for number in 0..<4 { #expect(preparation.claim() == number) }
        #expect(preparation.adopt())
        for number in 0..<4 {
            #expect(preparation.finish(Self.piece(preparation, number), number: number) == nil)
        }
        let encoded = preparation.whole { _ in
            Issue.record("every piece was there")
            return EncodedPiece(entries: [], bytes: [])
        }
        #expect(encoded.byteCount == 50)
    }

    /// What may be too large, or was already given to somebody, is not adopted.
    @Test func adoption_ofWhatMayBeTooLargeOrIsFinished_fails() {
        #expect(!Self.preparation(limit: 50 * 49 - 1).adopt())
        #expect(Self.preparation(limit: 50 * 49).adopt())
        let preparation = Self.preparation()
        var answers = 0
        while let number = preparation.claim() {
            if preparation.finish(Self.piece(preparation, number), number: number) != nil { answers += 1 }
        }
        #expect(answers == 1)
        #expect(!preparation.adopt())
    }

    @Test func append_ofOnePiece_isNotShared() {
        for count in [1, AppendPreparation.pieceRowCount] {
            let preparation = AppendPreparation(
                Array(Self.tags[..<count]), receivedWall: 1, receivedBoot: 2, maximumByteCount: .max)
            #expect(!preparation.canBeShared)
            #expect(preparation.claim() == 0)
            #expect(preparation.claim() == nil)
        }
    }
}
