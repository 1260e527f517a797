import ISOBMFF

/// Returns the bytes of an integer, most significant first.
func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    (0..<value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Returns a box with a payload and a 32-bit size.
func box(_ type: String, _ payload: [UInt8] = []) -> [UInt8] {
    bigEndian(UInt32(payload.count + 8)) + Array(type.utf8) + payload
}

/// Returns the steps of a walk over `bytes` as lines.
///
/// The walk descends into the boxes of the types in `descending`, and holds the payloads of those in `holding`.
func walk(
    _ bytes: [UInt8], chunk: Int, descending: Set<String> = [], holding: Set<String> = [],
    limits: BoxWalker.Limits = BoxWalker.Limits(), skipping: Bool = false
) -> [String] {
    var walker = BoxWalker(limits: limits)
    var lines: [String] = []
    var fed = 0
    while fed < bytes.count {
        if skipping, walker.skippableByteCount > 0 {
            let count = min(walker.skippableByteCount, UInt64(bytes.count - fed))
            walker.skip(count)
            fed += Int(count)
            continue
        }
        let end = min(fed + chunk, bytes.count)
        step(&walker, Array(bytes[fed..<end]), &lines, descending, holding)
        fed = end
    }
    step(&walker, [], &lines, descending, holding)
    let cut = walker.heldBox
    do throws(ISOBMFFError) {
        if case .payload(let box) = try walker.finish() {
            lines.append("payload \(box.header.type) \(walker.payload.count)")
        }
    } catch {
        lines.append("\(error.rule) at \(error.offset) cut \(cut?.header.type.description ?? "none")")
    }
    return lines
}

private func step(
    _ walker: inout BoxWalker, _ chunk: [UInt8], _ lines: inout [String], _ descending: Set<String>,
    _ holding: Set<String>
) {
    var position = 0
    while true {
        do throws(ISOBMFFError) {
            guard let step = try walker.next(in: chunk.span, at: &position) else { return }
            switch step {
            case .box(let box):
                let size = box.header.size.map(String.init) ?? "rest"
                let parent = box.parent.map { "\($0)/" } ?? ""
                lines.append("\(parent)\(box.header.type) at \(box.offset) size \(size)")
                if descending.contains(box.header.type.description) { try walker.descend() }
                if holding.contains(box.header.type.description) { try walker.hold() }
            case .payload(let box): lines.append("payload \(box.header.type) \(walker.payload.count)")
            case .end(let box): lines.append("end \(box.header.type)")
            }
        } catch {
            lines.append("\(error.rule) at \(error.offset)")
        }
    }
}
