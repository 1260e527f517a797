import ExtremeMutation
import HTTPTransfer
import TagDelivery
import TagStore

/// Reads the input as the body of a collector's response, under each status whose body is read.
///
/// It never crashes, and every receipt accounts for the tags that were sent.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCollectorAnswer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer's bytes are valid for the call.
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let sent = [TagID(high: 1, low: 1), TagID(high: 2, low: 2)]
    for status in [200, 400, 413, 422, 503] {
        let head = HTTPResponseHead(
            status: status, headers: HTTPHeaders(), url: "http://c/", remoteAddress: nil)
        let answer = SinkAnswer(HTTPResponse(head: head, body: bytes), to: sent, now: 0)
        if case .received(let rejected, _) = answer {
            precondition(status == 200 && rejected.count <= sent.count)
            precondition(rejected.allSatisfy { sent.contains($0.id) })
        }
    }
    if case .error(let code, let message) = CollectorReply(bytes.span) {
        precondition(code.unicodeScalars.count <= 200 && message.unicodeScalars.count <= 200)
    }
    return 0
}
