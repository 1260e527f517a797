import NielsenID3
import StreamHealth

/// A set of checks in one machine word, because a report keeps one for every tag.
struct CheckSet: Sendable, Hashable {
    private var bits: UInt64 = 0

    /// Creates an empty set.
    init() {}

    /// Creates a set of the checks in a list; unknown ids are ignored.
    init(_ checks: some Sequence<CheckID>) {
        for check in checks { insert(check) }
    }

    /// Adds a check.
    mutating func insert(_ check: CheckID) { bits |= Self.bit(of: check) }

    /// Adds the checks of another set.
    mutating func formUnion(_ other: CheckSet) { bits |= other.bits }

    /// Returns whether a check is in the set.
    func contains(_ check: CheckID) -> Bool { bits & Self.bit(of: check) != 0 }

    /// Whether the set is empty.
    var isEmpty: Bool { bits == 0 }

    /// The checks in the order used by reports.
    var checks: [CheckID] { isEmpty ? [] : CheckID.all.filter(contains) }

    private static func bit(of check: CheckID) -> UInt64 { bitOfCheck[check] ?? 0 }

    private static let bitOfCheck: [CheckID: UInt64] = {
        precondition(CheckID.all.count <= UInt64.bitWidth, "a set has room for 64 checks")
        return Dictionary(
            uniqueKeysWithValues: CheckID.all.enumerated().map { ($0.element, 1 << UInt64($0.offset)) })
    }()
}
