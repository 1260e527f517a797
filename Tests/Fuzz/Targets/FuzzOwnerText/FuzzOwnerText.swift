import NielsenID3

/// Searches the input for owner identifiers, whole and in chunks whose size the first byte selects.
///
/// Both ways return the same findings.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    let whole = findings(in: bytes, chunk: bytes.count)
    precondition(findings(in: bytes, chunk: 1 + Int(bytes.first ?? 0)) == whole)
    var total = 0
    var last = TextPlace(line: 1, column: 0)
    for finding in whole {
        precondition(finding.place.line > last.line || finding.place.column > last.column)
        last = finding.place
        precondition(finding.tag.ownerIdentifier.starts(with: "www.nielsen.com/".utf8))
        precondition(finding.isBroken || finding.tag.ownerIdentifier.count == 249)
        precondition(finding.repairs.allSatisfy { 0...finding.tag.ownerIdentifier.count ~= $0.character })
        // Decoding the identifier alone returns the same checksum result and defect.
        guard let alone = NielsenTag(ownerIdentifier: finding.tag.ownerIdentifier.span) else {
            preconditionFailure("the prefix is there")
        }
        precondition(
            alone.isChecksumValid == finding.tag.isChecksumValid
                && alone.formatDefect == finding.tag.formatDefect)
        total &+= finding.repairs.count &+ finding.tag.ownerIdentifier.count
    }
    // The result is used, so that a release build does not omit the work.
    return total == .min ? 1 : 0
}

private func findings(in bytes: [UInt8], chunk: Int) -> [OwnerTextFinding] {
    var search = OwnerTextSearch()
    var findings: [OwnerTextFinding] = []
    for start in stride(from: 0, to: bytes.count, by: max(chunk, 1)) {
        let end = min(start + chunk, bytes.count)
        search.search(bytes.span.extracting(start..<end)) { findings.append($0) }
    }
    search.finish { findings.append($0) }
    return findings
}
