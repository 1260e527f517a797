/// Counts the lines of a text up to an offset that only grows.
struct LineCounter: Sendable {
    private var line = 1
    /// Where the line begins, counted from the start of the text.
    private var lineStart = 0
    private var position = 0

    /// The place of the byte at an offset of the text, of which `bytes` begin at `base`.
    mutating func place(of offset: Int, in bytes: Span<UInt8>, at base: Int) -> TextPlace {
        advance(to: offset, in: bytes, at: base)
        return TextPlace(line: line, column: offset - lineStart + 1)
    }

    /// Counts up to an offset of the text, which lies in `bytes` or right after them.
    mutating func advance(to offset: Int, in bytes: Span<UInt8>, at base: Int) {
        guard offset > position else { return }
        let counted = bytes.extracting(position - base..<offset - base)
        let ends = counted.count(of: 0x0A)
        if ends > 0 {
            line += ends
            var last = counted.count - 1
            while counted[last] != 0x0A { last -= 1 }
            lineStart = position + last + 1
        }
        position = offset
    }
}

extension Span<UInt8> {
    /// How many bytes are `byte`, looked at many together.
    fileprivate func count(of byte: UInt8) -> Int {
        var total = 0
        var start = 0
        // 255 of them fit into a byte's sum, so that each lane of a vector counts one byte in 255 blocks.
        while count - start >= 32 {
            let blocks = Swift.min((count - start) / 32, 255)
            var sums = InlineArray<32, UInt8>(repeating: 0)
            for block in 0..<blocks {
                let chunk = extracting(start &+ 32 &* block..<start &+ 32 &* block &+ 32)
                for lane in 0..<32 { sums[lane] &+= chunk[lane] == byte ? 1 : 0 }
            }
            for lane in 0..<32 { total += Int(sums[lane]) }
            start += 32 * blocks
        }
        while start < count {
            if self[start] == byte { total += 1 }
            start += 1
        }
        return total
    }
}
