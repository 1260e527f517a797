import Foundation
import NielsenID3
import StreamHealth
import StreamSynthesis
import TestSupport

/// The table of docs/faults.md, which lists the findings that each fault of the synthesizer causes.
struct FaultTable {
    /// A row of the table.
    struct Row {
        let fault: SynthesisFault
        /// The check that the fault is made for, and its status.
        let expected: (id: CheckID, status: CheckStatus)
        /// The other checks that always have findings with the fault.
        let consequences: Set<CheckID>
    }

    /// An invalid line of the table.
    struct Defect: Error { let line: String }

    let rows: [Row]

    init() throws {
        let root = URL(fileURLWithPath: Project.root)
        let text = try String(contentsOf: root.appendingPathComponent("docs/faults.md"), encoding: .utf8)
        rows = try text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let words = cells.count == 4 ? cells[2].split(separator: " ") : []
            guard words.count == 2, let fault = Self.ids(in: cells[0]).first.flatMap(SynthesisFault.init),
                let id = Self.ids(in: cells[2]).first.flatMap(Self.check),
                let status = CheckStatus(rawValue: String(words[1]))
            else { throw Defect(line: String(line)) }
            // A cell contains either "–" and a remark, or ids, a colon and the reason.
            let named = cells[3].hasPrefix("–") ? "" : cells[3].prefix { $0 != ":" }
            let consequences = try Self.ids(in: String(named)).map { name in
                guard let id = Self.check(name) else { throw Defect(line: String(line)) }
                return id
            }
            return Row(fault: fault, expected: (id, status), consequences: Set(consequences))
        }
    }

    /// Returns the check with an id, or nil if it does not exist.
    private static func check(_ id: String) -> CheckID? { CheckID.all.first { $0.rawValue == id } }

    /// Returns the texts between backticks.
    private static func ids(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
}
