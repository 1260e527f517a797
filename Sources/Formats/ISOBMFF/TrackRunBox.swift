import ByteReading

/// The sample durations of a track run box, borrowed (ISO/IEC 14496-12, 8.8.8).
///
///     sample_count (4)  [data_offset (4)]  [first_sample_flags (4)]
///     sample_count × { [sample_duration] [sample_size] [sample_flags] [sample_composition_time_offset] }
package struct TrackRunBox: ~Escapable {
    private let bytes: Span<UInt8>
    private let start: Int
    private let stride: Int

    /// The number of samples in the run.
    package let sampleCount: Int

    /// Whether each sample has its own duration.
    package let hasSampleDurations: Bool

    /// Reads the payload of the box.
    @_lifetime(copy payload)
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .trackRun, newestVersion: 1)
        let flags = reader.flags
        let count = try reader.readUInt32()
        if flags & 0x01 != 0 { try reader.skip(4) }
        if flags & 0x04 != 0 { try reader.skip(4) }
        hasSampleDurations = flags & 0x100 != 0
        stride = [0x100, 0x200, 0x400, 0x800].reduce(0) { $0 + (flags & $1 != 0 ? 4 : 0) }
        // A 32-bit count times at most 16 bytes cannot overflow Int.
        try reader.require(Int(count) * stride)
        start = reader.position
        sampleCount = Int(count)
        bytes = payload
    }

    /// Returns the total duration in ticks of the first `count` samples.
    ///
    /// The cost is linear in `count` if samples have their own durations.
    package func duration(ofFirst count: Int, defaultSampleDuration: UInt32) -> UInt64 {
        let count = min(max(count, 0), sampleCount)
        // The product and the sum of 32-bit counts and durations fit in 64 bits.
        guard hasSampleDurations else { return UInt64(count) * UInt64(defaultSampleDuration) }
        var total: UInt64 = 0
        for index in 0..<count { total += UInt64(bytes.bigEndianUInt32(at: start + index * stride)) }
        return total
    }
}
