import ExtremeMutation
import ISOBMFF

/// Walks the input's boxes, whole and in chunks whose size the first byte selects, and reads each payload as every kind
/// of box.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    // libFuzzer's `count` bytes are valid for the call.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first, bytes.count <= 1 << 16 else { return 0 }
    let whole = walk(bytes, chunk: bytes.count, skips: false)
    precondition(whole == walk(bytes, chunk: Int(choice) + 1, skips: choice & 1 != 0))
    // The result is used, so that a release build does not omit the work.
    return whole.count == .max ? 1 : 0
}

private let containers: Set<BoxType> = [
    .movie, .track, .media, .movieExtends, .movieFragment, .trackFragment, .metadata, .userData,
]

private func walk(_ bytes: [UInt8], chunk: Int, skips: Bool) -> [UInt64] {
    var limits = BoxWalker.Limits()
    limits.maximumDepth = 4
    limits.maximumPayloadByteCount = 4_096
    var walker = BoxWalker(limits: limits)
    var trace: [UInt64] = []
    var fed = 0
    while fed < bytes.count {
        if skips, walker.skippableByteCount > 0 {
            let count = min(walker.skippableByteCount, UInt64(bytes.count - fed))
            walker.skip(count)
            fed += Int(count)
            continue
        }
        let end = min(fed + chunk, bytes.count)
        step(&walker, bytes.span.extracting(fed..<end), &trace)
        fed = end
    }
    step(&walker, Span(), &trace)
    precondition(walker.offset == UInt64(bytes.count))
    do throws(ISOBMFFError) {
        if case .payload = try walker.finish() { read(walker.payload, &trace) }
    } catch {
        trace.append(error.offset)
    }
    return trace
}

private func step(_ walker: inout BoxWalker, _ chunk: Span<UInt8>, _ trace: inout [UInt64]) {
    var position = 0
    while true {
        do throws(ISOBMFFError) {
            guard let step = try walker.next(in: chunk, at: &position) else {
                precondition(position == chunk.count)
                return
            }
            switch step {
            case .box(let box):
                trace.append(box.offset)
                if containers.contains(box.header.type) { try walker.descend() } else { try walker.hold() }
            case .payload(let box):
                precondition(walker.payload.count <= 4_096)
                trace.append(box.offset &+ UInt64(walker.payload.count))
                read(walker.payload, &trace)
            case .end(let box): trace.append(~box.offset)
            }
        } catch {
            trace.append(error.offset)
        }
    }
}

private func read(_ payload: Span<UInt8>, _ trace: inout [UInt64]) {
    attempt(&trace) { () throws(ISOBMFFError) in
        let event = try EventMessageBox(payload)
        return UInt64(event.messageData.count + event.schemeIDURI.utf8.count + event.value.utf8.count)
    }
    attempt(&trace) { () throws(ISOBMFFError) in
        let run = try TrackRunBox(payload)
        return run.duration(ofFirst: run.sampleCount, defaultSampleDuration: .max)
    }
    attempt(&trace) { () throws(ISOBMFFError) in UInt64(try ID3v2Box(payload).data.count) }
    attempt(&trace) { () throws(ISOBMFFError) in try SegmentIndexBox(payload).earliestPresentationTime }
    attempt(&trace) { () throws(ISOBMFFError) in try TrackFragmentDecodeTimeBox(payload).baseMediaDecodeTime }
    attempt(&trace) { () throws(ISOBMFFError) in UInt64(try TrackFragmentHeaderBox(payload).trackID) }
    attempt(&trace) { () throws(ISOBMFFError) in UInt64(try TrackExtendsBox(payload).trackID) }
    attempt(&trace) { () throws(ISOBMFFError) in UInt64(try TrackHeaderBox(payload).trackID) }
    attempt(&trace) { () throws(ISOBMFFError) in UInt64(try MediaHeaderBox(payload).timescale) }
    attempt(&trace) { () throws(ISOBMFFError) in UInt64(try HandlerBox(payload).kind.rawValue) }
}

private func attempt(_ trace: inout [UInt64], _ body: () throws(ISOBMFFError) -> UInt64) {
    do throws(ISOBMFFError) {
        trace.append(try body())
    } catch {
        trace.append(error.offset)
    }
}
