import ID3v2

/// Searches the input for tags and decodes every frame of each, as a listing of hostile bytes would.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var total = 0
    var search = ID3TagSearch(bytes.span)
    var last = 0
    while let finding = search.next() {
        precondition(search.position > last, "the search stands still")
        last = search.position
        switch finding {
        case .malformed(let error, let range):
            precondition(range.contains(error.offset) || error.offset >= range.upperBound)
            total &+= "\(error.rule)".utf8.count
        case .tag(let found):
            precondition(found.range.upperBound <= bytes.count && found.missingCount >= 0)
            total &+= walk(bytes, found.range)
        }
    }
    // The result is used, so that a release build does not omit the work.
    return total == .min ? 1 : 0
}

private func walk(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
    var total = 0
    do throws(ID3Error) {
        let tag = try ID3Tag(bytes.span.extracting(range))
        total &+= tag.deviations.rules.count
        var frames = tag.frames
        var scratch: [UInt8] = []
        repeat {
            while let frame = frames.next() {
                precondition(frame.storedBytes.count <= range.count)
                total &+= frame.content().id.utf8.count
                do throws(ID3Error) { try frame.decodeContent(into: &scratch) } catch {
                    total &+= error.offset
                }
                precondition(scratch.count <= 18 << 20)
                if let content = frame.privateFrame { total &+= content.data.count }
                total &+= frame.groupIdentifier == nil ? 0 : 1
            }
        } while frames.recover()
    } catch {
        total &+= error.offset
    }
    return total
}
