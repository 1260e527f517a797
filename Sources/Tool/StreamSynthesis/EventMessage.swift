import ByteReading

/// Builds event message boxes (ISO/IEC 23009-1, 5.10.3.3) and segment type boxes.
enum EventMessage {
    /// A `styp` box of brand `msdh` (ISO/IEC 14496-12, 8.16.2).
    static let segmentType: [UInt8] =
        UInt32(24).bigEndianBytes + Array("stypmsdh".utf8) + UInt32(0).bigEndianBytes + Array("msdhmsix".utf8)

    /// Returns an event message box with times in ticks of 90 kHz and an event duration of 0.
    static func box(
        scheme: SynthesisSettings.EventScheme, id: UInt32, time: Int64, segmentTime: Int64, message: [UInt8]
    ) -> [UInt8] {
        let names = Array(scheme.uri.utf8) + [0] + Array(scheme.value.utf8) + [0]
        let timescale = UInt32(SynthesisClock.ticksPerSecond).bigEndianBytes
        var body: [UInt8] = [scheme.version, 0, 0, 0]
        if scheme.version == 0 {
            // The delta of version 0 is unsigned: a tag before its segment is moved to the start of the segment.
            let delta = UInt32(clamping: time - segmentTime)
            body += names + timescale + delta.bigEndianBytes + UInt32(0).bigEndianBytes + id.bigEndianBytes
        } else {
            body += timescale + time.bigEndianBytes + UInt32(0).bigEndianBytes + id.bigEndianBytes + names
        }
        body += message
        return UInt32(body.count + 8).bigEndianBytes + Array("emsg".utf8) + body
    }
}
