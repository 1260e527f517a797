import ExtremeMutation
import PlayerSession

/// Reads the input as a log of calls, whole and in chunks whose size the first byte selects.
///
/// Both ways return the same lines, and a machine that evaluates them counts each tag once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let whole = lines(of: bytes, chunk: bytes.count)
    precondition(lines(of: bytes, chunk: 1 + Int(bytes.first ?? 0)) == whole)
    var evaluation = CallEvaluation()
    for line in whole { _ = evaluation.evaluate(line) }
    let summary = evaluation.summary
    precondition(summary.counts.isConserved)
    precondition(summary.callCount + summary.unreadableCount == whole.count)
    // The result is used, so that a release build does not omit the work.
    return summary.counts.handed == .min ? 1 : 0
}

private func lines(of bytes: [UInt8], chunk: Int) -> [CallLogLine] {
    var reader = CallLogReader()
    var lines: [CallLogLine] = []
    for start in stride(from: 0, to: bytes.count, by: max(chunk, 1)) {
        reader.read(Array(bytes[start..<min(start + chunk, bytes.count)])) { lines.append($0) }
    }
    reader.finish { lines.append($0) }
    return lines
}
