/// The size and age limits of a buffer, and its behavior when it is full.
public struct StoreSettings: Sendable, Hashable {
    /// The policy for an append that does not fit.
    public enum FullPolicy: String, Sendable, Hashable, Codable {
        /// The oldest tags are evicted and counted.
        case evictOldest
        /// The append throws `StoreError.full` and is counted.
        case refuseNewest
    }

    /// The size limit for the whole directory, in bytes: 2,000,000 to 1,000,000,000,000.
    public var maximumByteCount: Int

    static let leastMaximumByteCount = 2_000_000

    /// The maximum age of a tag: 1 ms or more.
    public var maximumAge: Duration

    /// The policy for an append that does not fit.
    public var fullPolicy: FullPolicy

    /// The memory limit for tags that cannot be written to the disk, in bytes: 0 or more.
    public var maximumMemoryByteCount: Int

    /// The dictionaries of all stored bodies, in ascending order of version; new bodies use the last one.
    package var dictionaries: [BodyDictionary] = BodyDictionary.shipped

    /// The minimum time between the starts of two commits.
    ///
    /// The second one has all appends since the first. An append may take that much longer. The disk has less to
    /// write, because each commit writes whole pages.
    package var commitInterval = Duration.zero

    /// The `synchronous` mode of SQLite.
    ///
    /// Any mode but `full` may lose acknowledged tags; the tests use one to show that.
    var synchronous = Synchronous.full

    enum Synchronous: String, Sendable, Hashable {
        case full = "FULL"
        case normal = "NORMAL"
    }

    /// Creates settings; the defaults are 30,000,000 bytes and ten days.
    public init(
        maximumByteCount: Int = 30_000_000, maximumAge: Duration = .seconds(864_000),
        fullPolicy: FullPolicy = .evictOldest, maximumMemoryByteCount: Int = 1_048_576
    ) {
        self.maximumByteCount = maximumByteCount
        self.maximumAge = maximumAge
        self.fullPolicy = fullPolicy
        self.maximumMemoryByteCount = maximumMemoryByteCount
    }

    /// Creates default settings with other dictionaries.
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
