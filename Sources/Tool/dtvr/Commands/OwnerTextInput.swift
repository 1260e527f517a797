import Glibc
import HLSInput
import NielsenID3
import StreamHealth

/// A text that contains owner identifiers, read in pieces: a log, a capture, standard input.
struct OwnerTextInput: ~Copyable {
    /// The path as the user entered it.
    let source: String
    let console: Console

    private let file: InputFile

    /// The name of the text in messages.
    var name: String { file.name }

    /// Opens the text at a path (`-` for standard input), or prints the error and returns nil.
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

    /// Calls `found` for each identifier until the text ends or the output closes, and then prints the repairs.
    ///
    /// If the text cannot be read to its end, it prints the error and returns false.
    func read(_ found: (OwnerTextFinding) -> Void) -> Bool {
        var search = OwnerTextSearch()
        var repairs = OwnerTextRepairs(in: name)
        let report = { (finding: OwnerTextFinding) in
            repairs.add(finding)
            found(finding)
        }
        var decoding: OwnerTextDecoding?
        var buffer = [UInt8](repeating: 0, count: InputFile.pieceByteCount)
        do throws(InputError) {
            while !console.isOutputClosed {
                let count = try file.read(into: &buffer)
                if count == 0 { break }
                if decoding == nil, let archive = InputFormat.archive(buffer[..<count]) {
                    console.note("\(name): \(archive)")
                    return false
                }
                var current = decoding ?? OwnerTextDecoding(front: buffer[..<count])
                let text = current.decoded(buffer[..<count])
                decoding = current
                search.search(text.span, report)
                // The text may be a log that grows.
                if !file.isRegular { console.flush() }
            }
        } catch {
            for line in repairs.lines { console.note(line) }
            if !Task.isCancelled { console.note(error.message) }
            return false
        }
        search.finish(report)
        for line in repairs.lines { console.note(line) }
        return true
    }
}

extension OwnerTextInput {
    /// Returns the tags of the text, with the problems of each, or nil if there are none or the text is unreadable.
    ///
    /// The reason has already been printed when it returns nil.
    func tags(policy: TagPolicy) -> OwnerTextTags? {
        var text = OwnerTextTags(source: source, policy: policy)
        guard read({ text.add($0) }) else { return nil }
        if text.tags.isEmpty {
            console.note("\(name): contains no owner identifier of a Nielsen tag")
            return nil
        }
        if text.repeatCount > 0 {
            console.note("\(name): \(text.repeatCount) duplicate identifiers are ignored")
        }
        if text.lostCount > 0 {
            console.note("\(name): \(text.lostCount) identifiers over the limit are ignored")
        }
        return text
    }
}
