/// Tags that the disk did not take, kept until it does.
struct MemoryRing: Sendable {
    struct Item: Sendable, Hashable {
        let fields: RowFields
        let body: [UInt8]

        /// What an item takes in memory, near enough.
        var byteCount: Int { body.count + 128 }
    }

    let maximumByteCount: Int
    private(set) var items: [Item] = []
    private var byteCount = 0

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count }

    func hasRoom(for added: [Item]) -> Bool {
        byteCount + added.reduce(0) { $0 + $1.byteCount } <= maximumByteCount
    }

    /// Keeps the items, and says how many of the oldest had to go for them.
    mutating func append(_ added: [Item]) -> Int64 {
        items.append(contentsOf: added)
        byteCount += added.reduce(0) { $0 + $1.byteCount }
        var lost = 0
        while byteCount > maximumByteCount, lost < items.count {
            byteCount -= items[lost].byteCount
            lost += 1
        }
        items.removeFirst(lost)
        return Int64(lost)
    }

    /// Lets go of the items whose sequence the closure names, and says how many those were.
    mutating func remove(where isGone: (RowFields) -> Bool) -> Int64 {
        let before = items.count
        items.removeAll { isGone($0.fields) }
        byteCount = items.reduce(0) { $0 + $1.byteCount }
        return Int64(before - items.count)
    }
}
