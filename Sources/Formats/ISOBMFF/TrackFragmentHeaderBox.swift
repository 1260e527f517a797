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
