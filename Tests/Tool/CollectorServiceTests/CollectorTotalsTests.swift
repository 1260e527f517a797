import Testing

@testable import CollectorService

@Suite struct CollectorTotalsTests {
    /// Every batch is counted, and the first 10,000 stores are listed.
    @Test func stores_beyondTheLimit_areCountedButNotListed() {
        var totals = CollectorTotals()
        for number in 0..<10_050 { totals.countBatch(store: "s\(number)", last: 1) }
        totals.countBatch(store: "s0", last: 7)
        #expect(totals.status.batches == 10_051)
        #expect(totals.status.stores.count == 10_000)
        #expect(totals.status.stores.first { $0.id == "s0" }?.lastSequence == 7)
        #expect(!totals.status.stores.contains { $0.id == "s10001" })
    }
}
