import CDTVRLibAV

/// An encoded picture or audio frame, which owns a reusable `AVPacket`.
///
/// It is a class, because an array holds the packets of a loop.
@safe final class EncodedPacket {
    // Owned and never nil: allocated by init, freed once by deinit.
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(SynthesisError) {
        guard let pointer = unsafe dtvr_av_packet_alloc() else { throw outOfMemory("av_packet_alloc") }
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        var owned: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe dtvr_av_packet_free(&owned)
    }

    /// Sets the presentation and decoding time and the duration, in ticks of 90 kHz.
    func setTime(_ time: Int64, duration: Int64) {
        // The pointer is valid for the lifetime of this value.
        unsafe pointer.pointee.pts = time
        unsafe pointer.pointee.dts = time
        unsafe pointer.pointee.duration = duration
    }

    /// Returns a second packet that refers to the same encoded bytes, which are then immutable.
    func reference() throws(SynthesisError) -> EncodedPacket {
        let copy = try EncodedPacket()
        try copy.refer(to: self)
        return copy
    }

    /// Replaces the content by a reference to the encoded bytes of another packet.
    func refer(to other: EncodedPacket) throws(SynthesisError) {
        // Both pointers are valid for the lifetime of their values. The encoded bytes are reference-counted.
        unsafe dtvr_av_packet_unref(pointer)
        try unsafe libAV("av_packet_ref", dtvr_av_packet_ref(pointer, other.pointer))
    }

    /// A copy of the encoded bytes.
    var bytes: [UInt8] {
        // libavcodec provides `size` bytes at `data`, which stay valid until the packet is reused.
        unsafe Array(UnsafeBufferPointer(start: pointer.pointee.data, count: Int(pointer.pointee.size)))
    }
}
