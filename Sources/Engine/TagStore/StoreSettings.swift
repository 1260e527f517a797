/// How large and how old a buffer may grow, and what it does at its bound.
public struct StoreSettings: Sendable, Hashable {
    /// What happens to an append that no longer fits.
    public enum FullPolicy: String, Sendable, Hashable, Codable {
        /// The oldest tags make room, and are counted.
        case evictOldest
        /// The append throws `StoreError.full`, and is counted.
        case refuseNewest
    }

    /// The bound for everything in the directory together, in bytes: 2,000,000 or more.
    public var maximumByteCount: Int

    static let leastMaximumByteCount = 2_000_000

    /// How long a tag may stay: a millisecond at least.
    public var maximumAge: Duration

    /// What happens to an append that no longer fits.
    public var fullPolicy: FullPolicy

    /// What the memory may hold for a disk that takes nothing, in bytes; 0 or more.
    public var maximumMemoryByteCount: Int

    /// Every dictionary that stored bodies may need, in the order of their versions; the last one compresses.
    package var dictionaries: [BodyDictionary] = BodyDictionary.shipped

    /// How SQLite syncs; anything but `full` may lose acknowledged tags, and is there for the tests to show it.
    var synchronous = Synchronous.full

    enum Synchronous: String, Sendable, Hashable {
        case full = "FULL"
        case normal = "NORMAL"
    }

    /// The settings of a buffer; the defaults are 30,000,000 bytes and ten days.
    public init(
        maximumByteCount: Int = 30_000_000, maximumAge: Duration = .seconds(864_000),
        fullPolicy: FullPolicy = .evictOldest, maximumMemoryByteCount: Int = 1_048_576
    ) {
        self.maximumByteCount = maximumByteCount
        self.maximumAge = maximumAge
        self.fullPolicy = fullPolicy
        self.maximumMemoryByteCount = maximumMemoryByteCount
    }

    /// Settings with other dictionaries.
    package init(dictionaries: [BodyDictionary]) {
        self.init()
        self.dictionaries = dictionaries
    }

    func check() throws(StoreError) {
        guard (Self.leastMaximumByteCount...1_000_000_000_000).contains(maximumByteCount) else {
            throw .invalidSetting(name: "maximumByteCount")
        }
        guard maximumAge >= .milliseconds(1) else { throw .invalidSetting(name: "maximumAge") }
        guard maximumMemoryByteCount >= 0 else { throw .invalidSetting(name: "maximumMemoryByteCount") }
        let versions = dictionaries.map(\.version)
        let isAscending = zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }
        guard isAscending, versions.allSatisfy({ $0 >= BodyEncoding.firstDictionaryVersion }) else {
            throw .invalidSetting(name: "dictionaries")
        }
    }
}
