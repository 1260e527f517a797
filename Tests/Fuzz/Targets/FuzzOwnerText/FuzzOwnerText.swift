import NielsenID3

/// Searches the input for owner identifiers, whole and in chunks whose sizes its first byte says: both give the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer lends `count` bytes for the length of the call.
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
        // By itself the identifier is what it was found to be.
        guard let alone = NielsenTag(ownerIdentifier: finding.tag.ownerIdentifier.span) else {
            preconditionFailure("the prefix is there")
        }
        precondition(alone.problems == finding.tag.problems && alone.formatDefect == finding.tag.formatDefect)
        total &+= finding.repairs.count &+ finding.tag.ownerIdentifier.count
    }
    // The result must be used, or a release build would leave the work out.
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
