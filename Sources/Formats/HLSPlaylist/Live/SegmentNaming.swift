/// The parts of a live playlist's URIs that tell its segments apart, found in a load with at least two segments.
///
/// Usually the file name does. Signed addresses change their query from load to load, and session addresses their
/// directory, so nothing else is compared then. If all segments have one file name, the directories and query
/// parameters that differ within a load tell them apart, as in `sq/17/seg.ts` or `seg.ts?n=17`.
struct SegmentNaming: Sendable, Hashable {
    /// The maximum number of segments that are compared to find the naming.
    static let sampleCount = 8
    /// The maximum number of components of a URI that are compared.
    private static let maximumComponentCount = 64

    /// The indices of the components that differ within a load; empty if the file name is compared.
    private var components: [Int] = []

    /// Compares file names.
    init() {}

    /// Finds the naming of a load; nil if it has too few segments.
    init?(_ listed: [MediaSegment]) {
        let sample = listed.suffix(Self.sampleCount)
        guard sample.count > 1 else { return nil }
        // The name of a slate may repeat, and an advertisement among the segments has another one.
        let names = sample.map { String(Substring(Self.fileName($0.uri))) }
        let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        guard let common = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }),
            common.value > 1, 2 * common.value >= sample.count
        else { return }
        let alike = zip(sample, names).filter { $1 == common.key }.map(\.0)
        let first = alike[0]
        if alike.contains(where: { $0.byteRange != first.byteRange }) { return }
        let values = Self.values(of: first.uri)
        var differing: Set<Int> = []
        for segment in alike.dropFirst() {
            let others = Self.values(of: segment.uri)
            guard others.count == values.count else { return }
            for index in values.indices where !others[index].elementsEqual(values[index]) {
                differing.insert(index)
            }
        }
        components = differing.sorted()
    }

    /// Ignores the components that are tokens: they have another value for each known segment with the same number.
    ///
    /// At least one component must be equal for all of these segments; otherwise the segments are others.
    mutating func ignoreTokens(in pairs: [(known: String, now: String)]) {
        guard components.count > 1, !pairs.isEmpty else { return }
        let values = pairs.map { (Self.values(of: $0.known), Self.values(of: $0.now)) }
        let equal = components.filter { index in
            values.allSatisfy { known, now in
                index < known.count && index < now.count && known[index].elementsEqual(now[index])
            }
        }
        if !equal.isEmpty { components = equal }
    }

    /// Ignores the components that are tokens: no listed segment has a value that a known one had.
    ///
    /// This is for playlists without numbers. At least one component must have a known value; otherwise the segments
    /// are others.
    mutating func ignoreTokens(known: [String], listed: [String]) {
        guard components.count > 1 else { return }
        let earlier = known.map(Self.values(of:))
        let now = listed.map(Self.values(of:))
        let common = components.filter { index in
            let values = Set(earlier.compactMap { index < $0.count ? String(Substring($0[index])) : nil })
            return now.contains { index < $0.count && values.contains(String(Substring($0[index]))) }
        }
        if !common.isEmpty { components = common }
    }

    /// Returns whether two URIs with the same media sequence number may name the same segment.
    func areSame(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        if components.isEmpty { return Self.fileName(one).elementsEqual(Self.fileName(other)) }
        let (values, others) = (Self.values(of: one), Self.values(of: other))
        guard values.count == others.count else { return false }
        let compared = components.filter { $0 < values.count }
        // A segment of another form, such as an advertisement, is compared by its file name, too.
        if compared.count < components.count, !Self.fileName(one).elementsEqual(Self.fileName(other)) {
            return false
        }
        return compared.allSatisfy { values[$0].elementsEqual(others[$0]) }
    }

    /// Returns whether two URIs with different media sequence numbers may name the same segment.
    ///
    /// If the file name does not tell segments apart, the directories must be equal, too: an encoder that is restarted
    /// counts from the start in another directory.
    func areSameRenumbered(_ one: String, _ other: String) -> Bool {
        if components.isEmpty { return areSame(one, other) }
        return areSame(one, other) && Self.path(one).elementsEqual(Self.path(other))
    }

    private static func path(_ uri: String) -> Substring.UTF8View {
        uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    private static func fileName(_ uri: String) -> Substring.UTF8View {
        let path = path(uri)
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return path[path.index(after: slash)...]
    }

    /// Returns the directories, the file name and the query parameters of a URI.
    private static func values(of uri: String) -> [Substring.UTF8View] {
        let separators: Set<UInt8> = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "&")]
        return uri.utf8.prefix { $0 != UInt8(ascii: "#") }
            .split(maxSplits: maximumComponentCount, omittingEmptySubsequences: false) {
                separators.contains($0)
            }
    }
}
