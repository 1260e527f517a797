import ByteReading

/// An advertisement break as EXT-X-CUE-OUT, EXT-X-CUE-OUT-CONT and EXT-X-CUE-IN mark it.
///
/// The tags are in no standard; packagers write them for the machines that put advertisements in.
struct CueBreak: Sendable, Hashable {
    /// The seconds of it that are left; nil where nobody said how long it is.
    var secondsLeft: Double?

    /// The break that the value of EXT-X-CUE-OUT begins: `30`, `DURATION=30`, or nothing.
    ///
    /// A length of 0 stands for one that is not known.
    init(cueOut value: Range<Int>, in bytes: Span<UInt8>) {
        secondsLeft = nil
        let stated =
            bytes.decimalNumber(filling: value)
            ?? AttributeList(in: bytes, value).cueSeconds(["DURATION", "Duration"], in: bytes)
        if let stated, stated > 0 { secondsLeft = stated }
    }

    /// The break that the value of EXT-X-CUE-OUT-CONT is in: `8.3/30`, or `ElapsedTime=8.3,Duration=30`.
    init(continuation value: Range<Int>, in bytes: Span<UInt8>) {
        secondsLeft = nil
        var elapsed: Double?
        var total: Double?
        // A value of an attribute may have a slash too.
        if bytes.firstIndex(of: 0x3D, in: value) == nil, let slash = bytes.firstIndex(of: 0x2F, in: value) {
            elapsed = bytes.decimalNumber(filling: bytes.trimmed(value.lowerBound..<slash))
            total = bytes.decimalNumber(filling: bytes.trimmed(slash + 1..<value.upperBound))
        } else {
            let list = AttributeList(in: bytes, value)
            elapsed = list.cueSeconds(["ElapsedTime", "ELAPSED"], in: bytes)
            total = list.cueSeconds(["Duration", "DURATION"], in: bytes)
        }
        if let elapsed, let total, total > 0 { secondsLeft = max(0, total - elapsed) }
    }

    /// Moves past a segment; nil where less than half of the segment belongs to the break, which then is over.
    ///
    /// Where no EXT-X-CUE-IN ends a break, its length does. Lengths are rounded, so that a remainder is none.
    func after(segmentSeconds: Double) -> CueBreak? {
        guard contains(segmentSeconds: segmentSeconds) else { return nil }
        var rest = self
        if let secondsLeft { rest.secondsLeft = max(0, secondsLeft - segmentSeconds) }
        return rest
    }

    /// Whether a segment that begins now belongs to the break.
    func contains(segmentSeconds: Double) -> Bool {
        guard let secondsLeft else { return true }
        return secondsLeft > segmentSeconds / 2
    }
}

extension AttributeList {
    /// The number of the first of these attributes that is there.
    fileprivate func cueSeconds(_ names: [StaticString], in bytes: Span<UInt8>) -> Double? {
        for name in names {
            if let range = range(of: name, in: bytes) { return bytes.decimalNumber(filling: range) }
        }
        return nil
    }
}
