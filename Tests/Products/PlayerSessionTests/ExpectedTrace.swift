import Foundation
import PlayerSession
import Testing

/// The expected results of a trace, from `NAME.expected.json`; Traces/README.md describes its keys.
struct ExpectedTrace {
    private let object: [String: Any]

    init(_ url: URL) throws {
        let data = try Data(contentsOf: url)
        object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    var calls: Int? { object["calls"] as? Int }

    /// The allowed counts and owners at the collector: the main keys, overridden by those of each alternative.
    var alternatives: [[String: Any]] {
        guard let either = object["either"] as? [[String: Any]] else { return [object] }
        return either.map { object.merging($0) { $1 } }
    }

    /// Returns why the counts and owners match no alternative; empty if they match one.
    func objections(_ counts: SessionCounts, owners: [String]) -> [String] {
        let all = alternatives.map { Self.objections($0, counts, owners) }
        return all.contains { $0.isEmpty } ? [] : all.flatMap { $0 }
    }

    private static func objections(
        _ expected: [String: Any], _ counts: SessionCounts, _ owners: [String]
    ) -> [String] {
        let found: [String: Int] = [
            "handed": counts.handed, "stored": counts.stored, "repeats": counts.repeats,
            "ignored": counts.ignored, "invalid": counts.invalid, "discarded": counts.discarded,
            "sessions": counts.sessions, "held": counts.held, "flushed": counts.flushed,
        ]
        var objections: [String] = []
        for (key, value) in found {
            if let wanted = expected[key] as? Int, wanted != value {
                objections.append("\(key) is \(value), not \(wanted)")
            }
            if let wanted = expected[key] as? [Int], !wanted.contains(value) {
                objections.append("\(key) is \(value), none of \(wanted)")
            }
        }
        for (sum, wanted) in expected["sums"] as? [String: Int] ?? [:] {
            let value = sum.split(separator: "+").reduce(0) { $0 + (found[String($1)] ?? 0) }
            if value != wanted { objections.append("\(sum) is \(value), not \(wanted)") }
        }
        let wanted = expected["owners"] as? [String] ?? []
        let perhaps = expected["owners_maybe"] as? [String] ?? []
        let rest = owners.filter { !perhaps.contains($0) || wanted.contains($0) }
        let isUnordered = expected["unordered"] as? Bool ?? false
        if isUnordered ? rest.sorted() != wanted.sorted() : rest != wanted {
            objections.append("the collector has other owners, or in another order")
        }
        return objections
    }

    /// Returns the differences between the findings and the expected ones.
    func objections(_ findings: Set<String>) -> [String] {
        guard let expected = object["findings"] as? [String: Any] else { return [] }
        let must = Set(expected["must"] as? [String] ?? [])
        let groups = expected["any"] as? [[String]] ?? []
        var objections = must.subtracting(findings).map { "no \($0)" }
        for group in groups where findings.isDisjoint(with: group) {
            objections.append("none of \(group)")
        }
        if let may = expected["may"] as? [String] {
            let other = findings.subtracting(must).subtracting(may).subtracting(groups.flatMap { $0 })
            objections += other.sorted().map { "an unexpected \($0)" }
        }
        return objections
    }

    /// Returns why the result of a line is not allowed; empty if it is.
    func objections(line: Int, outcome: String, code: Int?, state: String) -> [String] {
        guard let lines = object["lines"] as? [String: [String: Any]], let line = lines[String(line)] else {
            return []
        }
        var objections: [String] = []
        if let wanted = line["outcome"] as? [String], !wanted.contains(outcome) {
            objections.append("\(outcome) is not one of \(wanted)")
        }
        if let wanted = line["state"] as? [String], !wanted.contains(state) {
            objections.append("\(state) is not one of \(wanted)")
        }
        if let wanted = line["code"] as? Int, code != wanted {
            objections.append("the code is \(code.map { "\($0)" } ?? "none"), not \(wanted)")
        }
        return objections
    }

    /// The expected fields of the records, in order; nil if they are not compared.
    var records: [[String: String]]? { object["records"] as? [[String: String]] }

    /// The numbers of the lines that have an expected result.
    var lineNumbers: Set<Int> {
        Set((object["lines"] as? [String: Any] ?? [:]).keys.compactMap { Int($0) })
    }
}
