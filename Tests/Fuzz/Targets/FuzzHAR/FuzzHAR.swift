import ExtremeMutation
import PlayerCertification
import PlayerSession

/// Reads the input as a HAR file, whole and in chunks whose size the last byte selects: both ways return the same
/// lines.
///
/// The rules check these lines, and those of the input in any form that a certification accepts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let chunk = 1 + Int(bytes.last ?? 0)
    let requests = lines(of: bytes, chunk: bytes.count)
    precondition(lines(of: bytes, chunk: chunk) == requests)
    var reader = CertificationReader()
    var certification = Certification(of: "input")
    for start in stride(from: 0, to: bytes.count, by: chunk) {
        reader.read(Array(bytes[start..<min(start + chunk, bytes.count)])) { certification.observe($0) }
    }
    reader.finish { certification.observe($0) }
    for line in requests { certification.observe(line) }
    // The result is used, so that a release build does not omit the work.
    return certification.finish().summary.callCount == .min ? 1 : 0
}

private func lines(of bytes: [UInt8], chunk: Int) -> [CallLogLine] {
    var reader = HARReader()
    var lines: [CallLogLine] = []
    for start in stride(from: 0, to: bytes.count, by: max(chunk, 1)) {
        reader.read(Array(bytes[start..<min(start + chunk, bytes.count)])) { lines.append($0) }
    }
    reader.finish { lines.append($0) }
    return lines
}
