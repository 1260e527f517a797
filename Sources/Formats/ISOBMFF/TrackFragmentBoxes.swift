import ByteReading

/// The track and the default duration in a track fragment header box (ISO/IEC 14496-12, 8.8.7).
///
///     track_ID (4)  [base_data_offset (8)]  [sample_description_index (4)]  [default_sample_duration (4)]  …
package struct TrackFragmentHeaderBox: Sendable, Hashable {
    /// The track that the fragment belongs to.
    package let trackID: UInt32

    /// The duration in ticks of samples without their own duration; nil if the track extends box defines it.
    package let defaultSampleDuration: UInt32?

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .trackFragmentHeader, newestVersion: 0)
        trackID = try reader.readUInt32()
        if reader.flags & 0x01 != 0 { try reader.skip(8) }
        if reader.flags & 0x02 != 0 { try reader.skip(4) }
        defaultSampleDuration = reader.flags & 0x08 != 0 ? try reader.readUInt32() : nil
    }
}

/// The track and the default duration in a track extends box (ISO/IEC 14496-12, 8.8.3).
package struct TrackExtendsBox: Sendable, Hashable {
    /// The track to which the defaults apply.
    package let trackID: UInt32

    /// The duration in ticks of samples whose run and fragment header define none.
    package let defaultSampleDuration: UInt32

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .trackExtends, newestVersion: 0)
        trackID = try reader.readUInt32()
        try reader.skip(4)
        defaultSampleDuration = try reader.readUInt32()
    }
}

/// A track fragment decode time box (ISO/IEC 14496-12, 8.8.12).
package struct TrackFragmentDecodeTimeBox: Sendable, Hashable {
    /// The decode time of the fragment's first sample, in the timescale of the track's media header.
    package let baseMediaDecodeTime: UInt64

    /// Reads the payload of the box.
    package init(_ payload: Span<UInt8>) throws(ISOBMFFError) {
        var reader = try FullBoxReader(payload, type: .trackFragmentDecodeTime, newestVersion: 1)
        baseMediaDecodeTime = try reader.readVersionedUInt()
    }
}

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
