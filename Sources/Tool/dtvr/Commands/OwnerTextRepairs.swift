import NielsenID3
import TextForms

/// The repaired identifiers of a text, grouped by the kinds of their repairs.
struct OwnerTextRepairs {
    private struct Group {
        /// The line of a group with a single identifier.
        let line: String
        let isBroken: Bool
        /// The lines of the first identifiers.
        var lines: [Int]
        var count = 1
    }

    /// The maximum number of groups; the identifiers of others are only counted.
    private static let maximumGroupCount = 8
    /// The maximum number of lines to name in a group.
    private static let namedCount = 4

    private let name: String
    private var groups: [(kinds: String, Group)] = []
    private var otherCount = 0
    /// The identifiers that are broken at the end of their lines: the first places, and their number.
    private var brokenPlaces: [TextPlace] = []
    private var brokenCount = 0

    /// Creates the repairs of a text with this name.
    init(in name: String) { self.name = name }

    /// Adds the repairs of an identifier, if it needed any.
    mutating func add(_ finding: OwnerTextFinding) {
        if finding.isBrokenByLineEnd {
            brokenCount += 1
            if brokenPlaces.count < Self.namedCount { brokenPlaces.append(finding.place) }
        }
        if finding.repairs.isEmpty { return }
        let kinds = finding.repairsByKind.map(\.kind.rawValue).joined(separator: ", ")
        let found = groups.firstIndex { $0.kinds == kinds && $0.1.isBroken == finding.isBroken }
        if let found {
            groups[found].1.count += 1
            let line = finding.place.line
            if groups[found].1.lines.count < Self.namedCount { groups[found].1.lines.append(line) }
        } else if groups.count < Self.maximumGroupCount {
            let group = Group(
                line: Self.line(on: finding), isBroken: finding.isBroken, lines: [finding.place.line])
            groups.append((kinds, group))
        } else {
            otherCount += 1
        }
    }

    /// One line per group, in order of first occurrence.
    var lines: [String] {
        let others =
            otherCount > 0
            ? [
                "\(name): "
                    + DecimalText.count(otherCount, "more identifier was", "more identifiers were")
                    + " repaired"
            ] : []
        return groups.map { line(of: $0.1, $0.kinds) } + others + brokenLines
    }

    /// The advice on identifiers that are broken at the end of their lines.
    private var brokenLines: [String] {
        let advice =
            "at the end of the line, and other text follows; if a logger divides long messages, join their lines"
        guard let first = brokenPlaces.first else { return [] }
        if brokenCount == 1 { return ["\(name):\(first): broken \(advice)"] }
        let lines = brokenPlaces.map { String($0.line) }.joined(separator: ", ")
        let rest = brokenCount - brokenPlaces.count
        let more = rest > 0 ? " and \(rest) more" : ""
        return ["\(name): \(brokenCount) identifiers, in lines \(lines)\(more), are broken \(advice)"]
    }

    private func line(of group: Group, _ kinds: String) -> String {
        if group.count == 1 { return "\(name):\(group.line)" }
        let rest = group.count - group.lines.count
        let more = rest > 0 ? " and \(rest) more" : ""
        let lines = group.lines.map { String($0) }.joined(separator: ", ")
        let broken = group.isBroken ? "; they are still broken" : ""
        return "\(name): repaired \(group.count) identifiers: \(kinds); in lines \(lines)\(more)\(broken)"
    }

    private static func line(on finding: OwnerTextFinding) -> String {
        let repairs = finding.repairsByKind.map { repair in
            "\(repair.kind.rawValue) at \(repair.place)"
                + (repair.count > 1 ? " and \(repair.count - 1) more" : "")
        }
        let broken = finding.isBroken ? "; it is still broken" : ""
        return "\(finding.place): repaired: \(repairs.joined(separator: ", "))\(broken)"
    }
}

extension OwnerTextFinding {
    /// The kinds of the repairs in order of first occurrence, each with its first position and its number.
    var repairsByKind: [(kind: Kind, place: TextPlace, count: Int)] {
        var kinds: [(kind: Kind, place: TextPlace, count: Int)] = []
        for repair in repairs {
            if let index = kinds.firstIndex(where: { $0.kind == repair.kind }) {
                kinds[index].count += 1
            } else {
                kinds.append((repair.kind, repair.place, 1))
            }
        }
        return kinds
    }

    /// The kinds of the repairs with their numbers, such as `line end; %3D (5)`; empty without repairs.
    var repairSummary: String {
        repairsByKind.map { $0.kind.rawValue + ($0.count > 1 ? " (\($0.count))" : "") }.joined(
            separator: "; ")
    }
}
