package import StreamHealth

/// A set of checks in one machine word: a report keeps one for every tag.
package struct CheckSet: Sendable, Hashable {
    private var bits: UInt64 = 0

    /// No check.
    package init() {}

    /// The checks whose ids are in the list; an id that no check has is left out.
    package init(ids: some Sequence<String>) {
        for id in ids {
            if let check = CheckID(rawValue: id) { insert(check) }
        }
    }

    /// Adds a check.
    package mutating func insert(_ check: CheckID) { bits |= Self.bit(of: check) }

    /// Adds the checks of another set.
    package mutating func formUnion(_ other: CheckSet) { bits |= other.bits }

    /// Whether a check is in the set.
    package func contains(_ check: CheckID) -> Bool { bits & Self.bit(of: check) != 0 }

    /// Whether no check is in the set.
    package var isEmpty: Bool { bits == 0 }

    /// The checks, in the order in which reports list them.
    package var checks: [CheckID] { isEmpty ? [] : CheckID.allCases.filter(contains) }

    private static func bit(of check: CheckID) -> UInt64 { bitOfCheck[check] ?? 0 }

    private static let bitOfCheck: [CheckID: UInt64] = {
        precondition(CheckID.allCases.count <= UInt64.bitWidth, "a set has room for 64 checks")
        return Dictionary(
            uniqueKeysWithValues: CheckID.allCases.enumerated().map { ($0.element, 1 << UInt64($0.offset)) })
    }()
}
