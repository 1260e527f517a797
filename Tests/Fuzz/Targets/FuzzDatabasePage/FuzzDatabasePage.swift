import ExtremeMutation

@testable import TagStore

/// Reads the input as a page of a damaged database, and as a log.
///
/// Cells are within the page, columns within their payload, and frames within the log.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDatabasePage(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let missing = max(0, StoreBudget.pageByteCount - bytes.count)
    let page = Array(bytes.prefix(StoreBudget.pageByteCount)) + [UInt8](repeating: 0, count: missing)
    for number in 1...2 {
        guard let found = PageCells(page.span, number: number) else { continue }
        for cell in found.cells {
            precondition(cell.local.upperBound <= page.count)
            precondition(cell.local.count <= cell.payloadByteCount)
            precondition(cell.payloadByteCount <= PageCells.maximumPayloadByteCount)
            precondition(cell.local.count == cell.payloadByteCount || cell.local.upperBound + 4 <= page.count)
            check(Array(page[cell.local]))
        }
    }
    check(bytes)
    let log = LogFrames(bytes)
    for number in log.pageOffsets.keys {
        precondition(log.page(number)?.count == StoreBudget.pageByteCount)
    }
    for index in 0..<log.frameCount {
        precondition(log.page(ofFrame: index).count == StoreBudget.pageByteCount)
    }
    return 0
}

private func check(_ payload: [UInt8]) {
    guard let columns = RecordColumns(payload.span) else { return }
    for index in 0..<columns.count {
        precondition((columns.bytes(index)?.upperBound ?? 0) <= payload.count)
        _ = columns.integer(index)
    }
}
