import Glibc
import HLSInput
import NielsenID3

/// A text with owner identifiers in it, read in pieces: a log, a capture, standard input.
struct OwnerTextInput: ~Copyable {
    /// The text as the user named it.
    let source: String
    let console: Console

    private let file: InputFile

    /// What messages call the text.
    var name: String { file.name }

    /// The text at a path, `-` for standard input; nil where it cannot be opened, which the user has been told then.
    init?(_ path: String, console: Console) {
        do throws(InputError) {
            file =
                path == "-"
                ? try InputFile(lent: STDIN_FILENO, name: "standard input") : try InputFile(named: path)
        } catch {
            console.note(error.message)
            return nil
        }
        source = path
        self.console = console
    }

    /// Calls `found` for each identifier until the text ends or nobody reads the results, and reports the repairs in
    /// the first `notedCount` that needed any; false where the text cannot be read to its end, which the user knows
    /// then.
    func read(notedCount: Int = .max, _ found: (OwnerTextFinding) -> Void) -> Bool {
        var search = OwnerTextSearch()
        var repairedCount = 0
        let (name, console) = (name, console)
        let report = { (finding: OwnerTextFinding) in
            if let note = Self.note(on: finding, in: name) {
                repairedCount += 1
                if repairedCount <= notedCount { console.note(note) }
            }
            found(finding)
        }
        var buffer = [UInt8](repeating: 0, count: InputFile.pieceByteCount)
        do throws(InputError) {
            while !console.isOutputClosed {
                let count = try file.read(into: &buffer)
                if count == 0 { break }
                search.search(buffer.span.extracting(..<count), report)
            }
        } catch {
            if !Task.isCancelled { console.note(error.message) }
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
