import Foundation
import NielsenID3

/// A text with owner identifiers in it, read in pieces: a log, a capture, standard input.
struct OwnerTextInput {
    private static let pieceLength = 1 << 18

    /// The text as the user named it.
    let source: String
    let console: Console

    private let handle: FileHandle

    /// What messages call the text.
    var name: String { Self.name(of: source) }

    /// The text at a path, `-` for standard input; nil where it cannot be opened, which the user has been told then.
    init?(_ path: String, console: Console) {
        let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
        guard let handle else {
            console.note("\(Self.name(of: path)): cannot be read")
            return nil
        }
        source = path
        self.console = console
        self.handle = handle
    }

    private static func name(of path: String) -> String { path == "-" ? "standard input" : path }

    /// Calls `found` for each identifier until the text ends or nobody reads the results, and reports the repairs in
    /// the first `notedCount` that needed any; false where the text cannot be read to its end, which the user has
    /// been told then.
    func read(notedCount: Int = .max, _ found: (OwnerTextFinding) -> Void) -> Bool {
        var search = OwnerTextSearch()
        var repairedCount = 0
        let report = { (finding: OwnerTextFinding) in
            if let note = Self.note(on: finding, in: name) {
                repairedCount += 1
                if repairedCount <= notedCount { console.note(note) }
            }
            found(finding)
        }
        do {
            while !console.isOutputClosed, let piece = try handle.read(upToCount: Self.pieceLength),
                !piece.isEmpty
            {
                search.search([UInt8](piece).span, report)
            }
        } catch {
            console.note("\(name): cannot be read: \(error.localizedDescription)")
            return false
        }
        search.finish(report)
        if repairedCount > notedCount {
            console.note("\(name): \(repairedCount - notedCount) more identifiers were repaired")
        }
        return true
    }

    /// What was repaired in one identifier, and the first places of it; nil where nothing was.
    static func note(on finding: OwnerTextFinding, in name: String) -> String? {
        if finding.repairs.isEmpty { return nil }
        let places = finding.repairs.prefix(4).map { "\($0.kind.rawValue) at \($0.place)" }
        let rest = finding.repairs.count - places.count
        let more = rest > 0 ? " and \(rest) more" : ""
        let kept = finding.isBroken ? "; it is still broken" : ""
        return "\(name):\(finding.place): repaired: \(places.joined(separator: ", "))\(more)\(kept)"
    }
}
