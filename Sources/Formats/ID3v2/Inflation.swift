import CDTVRZlib
import TimedMedia

/// How large the content of a compressed frame may become.
///
/// A few hundred bytes of deflated zeros become megabytes. No frame that people write comes near these bounds.
package struct InflateLimits: Sendable, Hashable {
    /// The most bytes that a frame may become: 16 MiB, more than a size of 24 bits can name.
    package var maximumCount: Int = 16 << 20

    /// How many times its stored length a frame may become, once it is larger than `unlimitedCount`.
    package var maximumRatio: Int = 256

    /// Up to this many bytes the ratio does not matter.
    package var unlimitedCount: Int = 64 << 10

    /// The bounds that suit every tag.
    package init() {}

    /// The most bytes that `count` stored ones may become.
    func maximumCount(of count: Int) -> Int {
        let (product, overflows) = count.multipliedReportingOverflow(by: maximumRatio)
        return min(maximumCount, max(unlimitedCount, overflows ? .max : product))
    }
}

/// Inflates the content of compressed frames.
enum Inflation {
    enum Failure { case invalid, tooLarge }

    /// Whether a compressed frame of version 2.4 says that it has no length before its data, or has one
    /// that may be part of the data.
    ///
    /// The standard wants a length with every compressed frame, and writers have set its flag without it.
    static func lacksLength(of frame: borrowing ID3Frame) -> Bool {
        frame.version == .v24 && frame.format.contains(.hasLength)
            && frame.format.isDisjoint(with: [.grouped, .encrypted])
    }

    /// Appends what `compressed` inflates to; nil where all went well.
    ///
    /// `expected` only decides how much room is made first.
    static func inflate(
        _ compressed: Span<UInt8>, expecting expected: Int?, into content: inout [UInt8],
        limits: InflateLimits
    ) -> Failure? {
        let maximum = limits.maximumCount(of: compressed.count)
        let first = min(maximum, max(256, min(expected ?? 0, 64 * compressed.count + 256)))
        content.reserveCapacity(first)
        // zlib reads `next_in` and writes `next_out` only inside `step`, where both point into live buffers.
        var stream = unsafe z_stream()
        guard unsafe dtvr_inflate_init(&stream, 15) == Z_OK else { return .invalid }
        defer { _ = unsafe inflateEnd(&stream) }
        var consumed = 0
        while true {
            let room = min(max(content.count, first), 1 << 20)
            var status = Z_OK
            var taken = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                status = unsafe step(
                    &stream, compressed.extracting(consumed..<compressed.count), buffer, &taken, &count)
            }
            consumed += taken
            content.append(contentsOf: chunk)
            if content.count > maximum { return .tooLarge }
            if status == Z_STREAM_END { return nil }
            // Z_BUF_ERROR: neither input nor output was used, so the data ends too early.
            guard status == Z_OK, taken > 0 || !chunk.isEmpty else { return .invalid }
        }
    }

    /// One call of `inflate` from `input` into `output`.
    private static func step(
        _ stream: inout z_stream, _ input: Span<UInt8>, _ output: UnsafeMutableBufferPointer<UInt8>,
        _ taken: inout Int, _ written: inout Int
    ) -> Int32 {
        let given = min(input.count, Int(Int32.max))
        // The buffers outlive the call, and zlib stays inside the counts that it is given.
        let status = unsafe input.withUnsafeBufferPointer { source in
            unsafe stream.next_in = unsafe UnsafeMutablePointer(mutating: source.baseAddress)
            unsafe stream.avail_in = UInt32(given)
            unsafe stream.next_out = output.baseAddress
            unsafe stream.avail_out = UInt32(output.count)
            return unsafe CDTVRZlib.inflate(&stream, Z_NO_FLUSH)
        }
        taken = unsafe given - Int(stream.avail_in)
        written = unsafe output.count - Int(stream.avail_out)
        return status
    }
}
