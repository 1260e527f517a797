import Foundation
import NielsenID3

/// A text with owner identifiers in it, read in pieces: a log, a capture, standard input.
struct OwnerTextInput {
    private static let pieceLength = 1 << 18

    let handle: FileHandle
    let console: Console

    /// Calls `found` for each identifier, and tells what was repaired, until the text ends or nobody reads the results.
    func read(_ found: (OwnerTextFinding) -> Void) throws {
        var search = OwnerTextSearch()
        let report = { (finding: OwnerTextFinding) in
            if !finding.repairs.isEmpty { console.note(Self.note(on: finding)) }
            found(finding)
        }
        while !console.isOutputClosed, let piece = try handle.read(upToCount: Self.pieceLength),
            !piece.isEmpty
        {
            search.search([UInt8](piece).span, report)
        }
        search.finish(report)
    }

    /// What was repaired in one identifier, and where: the first places of it.
    private static func note(on finding: OwnerTextFinding) -> String {
        let places = finding.repairs.prefix(4).map { "\($0.kind.rawValue) at \($0.place)" }
        let rest = finding.repairs.count - places.count
        let more = rest > 0 ? " and \(rest) more" : ""
        let kept = finding.isBroken ? "; it is broken all the same" : ""
        return "\(finding.place): repaired: \(places.joined(separator: ", "))\(more)\(kept)"
    }
}
