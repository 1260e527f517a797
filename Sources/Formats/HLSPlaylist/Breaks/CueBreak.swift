import ByteReading

/// An advertisement break declared by EXT-X-CUE-OUT, EXT-X-CUE-OUT-CONT and EXT-X-CUE-IN.
///
/// No standard defines these tags. Packagers write them for ad insertion systems.
struct CueBreak: Sendable, Hashable {
    /// The remaining seconds of the break; nil if its length is unknown.
    var secondsLeft: Double?

    /// Creates a break from the value of EXT-X-CUE-OUT: `30`, `DURATION=30`, or empty.
    ///
    /// A length of 0 means that it is unknown.
    init(cueOut value: Range<Int>, in bytes: Span<UInt8>) {
        secondsLeft = nil
        let stated =
            bytes.decimalNumber(filling: value)
            ?? AttributeList(in: bytes, value).cueSeconds(["DURATION", "Duration"], in: bytes)
        if let stated, stated > 0 { secondsLeft = stated }
    }

    /// Creates a break from the value of EXT-X-CUE-OUT-CONT: `8.3/30`, or `ElapsedTime=8.3,Duration=30`.
    init(continuation value: Range<Int>, in bytes: Span<UInt8>) {
        secondsLeft = nil
        var elapsed: Double?
        var total: Double?
        // An attribute value may also contain a slash.
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

    /// Returns the break after a segment; nil if less than half of the segment belongs to the break, which then ends.
    ///
    /// A break without EXT-X-CUE-IN ends after its length. Lengths are rounded, so a remainder of less than half a
    /// segment is ignored.
    func after(segmentSeconds: Double) -> CueBreak? {
        guard contains(segmentSeconds: segmentSeconds) else { return nil }
        var rest = self
        if let secondsLeft { rest.secondsLeft = max(0, secondsLeft - segmentSeconds) }
        return rest
    }

    /// Returns whether a segment that begins now belongs to the break.
    func contains(segmentSeconds: Double) -> Bool {
        guard let secondsLeft else { return true }
        return secondsLeft > segmentSeconds / 2
    }
}

extension AttributeList {
    /// Returns the number in the first of these attributes that is present.
    fileprivate func cueSeconds(_ names: [StaticString], in bytes: Span<UInt8>) -> Double? {
        for name in names {
            if let range = range(of: name, in: bytes) { return bytes.decimalNumber(filling: range) }
        }
        return nil
    }
}
