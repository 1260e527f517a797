import ByteReading
import Glibc
import HLSInput
import NielsenID3
import StreamHealth
import TextForms

/// A text that contains owner identifiers, read in pieces: a log, a capture, standard input.
///
/// It may be compressed with gzip.
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
        func report(_ finding: OwnerTextFinding) {
            repairs.add(finding)
            found(finding)
        }
        var decoding: OwnerTextDecoding?
        var archive: String?
        let console = console
        func take(_ bytes: ArraySlice<UInt8>) -> Bool {
            if decoding == nil { archive = InputFormat.archive(bytes) }
            if archive != nil { return false }
            var current = decoding ?? OwnerTextDecoding(front: bytes)
            let text = current.decoded(bytes)
            decoding = current
            search.search(text.span, report)
            return !console.isOutputClosed && !Task.isCancelled
        }
        var gzip: GzipStream?
        var hasBegun = false
        var buffer = [UInt8](repeating: 0, count: InputFile.pieceByteCount)
        do throws(InputError) {
            while !console.isOutputClosed, archive == nil {
                let count = try file.read(into: &buffer)
                if count == 0 {
                    if let isComplete = gzip?.isComplete, !isComplete { throw invalidData }
                    break
                }
                let bytes = buffer[..<count]
                if !hasBegun, bytes.starts(with: Self.gzipMagic) { gzip = try newStream() }
                hasBegun = true
                if gzip == nil { _ = take(bytes) } else { try decompress(bytes, &gzip, take) }
                // The text may be a log that grows.
                if !file.isRegular { console.flush() }
            }
        } catch {
            for line in repairs.lines { console.note(line) }
            if !Task.isCancelled { console.note(error.message) }
            return false
        }
        if let archive {
            console.note("\(name): \(archive)")
            return false
        }
        search.finish(report)
        for line in repairs.lines { console.note(line) }
        return true
    }
}

extension OwnerTextInput {
    /// RFC 1952, 2.3.1.
    private static let gzipMagic: [UInt8] = [0x1F, 0x8B]
    /// The maximum size of the text in a compressed file, because a small file may have text without end.
    private static let maximumTextByteCount = 16 << 30

    private var invalidData: InputError {
        .unreadable(
            name, reason: "the gzip data is truncated or damaged; the text before that place was read")
    }

    private func newStream() throws(InputError) -> GzipStream {
        do throws(CompressionError) {
            return try GzipStream(maximumByteCount: Self.maximumTextByteCount)
        } catch {
            throw .unreadable(name, reason: error.description)
        }
    }

    private func decompress(
        _ bytes: ArraySlice<UInt8>, _ stream: inout GzipStream?, _ take: (ArraySlice<UInt8>) -> Bool
    ) throws(InputError) {
        do throws(CompressionError) {
            try stream?.decompress(bytes.span, take)
        } catch {
            guard case .tooLarge(let limit) = error else { throw invalidData }
            throw .unreadable(
                name,
                reason:
                    "the text is larger than \(limit >> 30) GiB; the rest was not read: decompress the file "
                    + "with 'zcat'")
        }
    }

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
            console.note(
                "\(name): "
                    + DecimalText.count(
                        text.repeatCount, "duplicate identifier is", "duplicate identifiers are")
                    + " ignored")
        }
        if text.lostCount > 0 {
            console.note(
                "\(name): "
                    + DecimalText.count(
                        text.lostCount, "identifier over the limit is", "identifiers over the limit are")
                    + " ignored")
        }
        return text
    }
}
