/// A counter for the lines of a text up to an offset that never decreases.
struct LineCounter: Sendable {
    private var line = 1
    /// The offset in the text at which the current line begins.
    private var lineStart = 0
    private var position = 0

    /// Returns the line and column of an offset in the text.
    ///
    /// `bytes` is the part of the text that begins at `base`.
    mutating func place(of offset: Int, in bytes: Span<UInt8>, at base: Int) -> TextPlace {
        advance(to: offset, in: bytes, at: base)
        return TextPlace(line: line, column: offset - lineStart + 1)
    }

    /// Counts the lines up to an offset of the text, which is in `bytes` or directly after them.
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
    /// Returns the number of bytes equal to `byte`, counted with vector instructions.
    fileprivate func count(of byte: UInt8) -> Int {
        var total = 0
        var start = 0
        // A lane is one byte wide and counts at most one match per block, so 255 blocks cannot overflow it.
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
