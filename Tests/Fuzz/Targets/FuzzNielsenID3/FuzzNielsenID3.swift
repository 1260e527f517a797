import ID3v2
import NielsenID3

/// Decodes the input as a tag, as an owner identifier, and as the rest of an owner identifier after its prefix.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var total = 0
    let tags = NielsenTag.all(in: bytes.span)
    for tag in tags { total &+= use(tag) }
    precondition(tags.first == NielsenTag(tagBytes: bytes.span))
    if let tag = NielsenTag(tagBytes: bytes.span) {
        total &+= use(tag)
        // Both ways of decoding a tag return the same result.
        do throws(ID3Error) {
            let general = NielsenTag(tag: try ID3Tag(bytes.span))
            precondition(general == tag)
        } catch {
            preconditionFailure("a Nielsen tag in what is no tag")
        }
    }
    if let tag = NielsenTag(ownerIdentifier: bytes.span) { total &+= use(tag) }
    let owner = Array("www.nielsen.com/".utf8) + bytes
    guard let tag = NielsenTag(ownerIdentifier: owner.span) else {
        preconditionFailure("the prefix is there")
    }
    total &+= use(tag)
    // The result is used, so that a release build does not omit the work.
    return total == .min ? 1 : 0
}

private func use(_ tag: NielsenTag) -> Int {
    precondition(tag.isChecksumValid == nil || tag.kind != nil)
    let problems = TagPolicy().problems(of: tag)
    precondition(problems.contains(.tagFormat) == (tag.formatDefect != nil))
    precondition(problems.contains(.tagChecksum) == (tag.isChecksumValid == false))
    if let defect = tag.formatDefect { precondition(defect.character <= tag.ownerIdentifier.count) }
    let texts = [tag.pcCID?.text, tag.fdCID?.text, tag.formatDefect?.description]
    return texts.reduce(tag.ownerIdentifier.count) { $0 &+ ($1?.utf8.count ?? 0) }
}
