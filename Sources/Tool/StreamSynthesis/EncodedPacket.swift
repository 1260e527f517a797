import CDTVRLibAV

/// One coded picture or audio frame: the owner of an `AVPacket`, used again and again.
@safe struct EncodedPacket: ~Copyable {
    // Owned and never nil: allocated by init, freed once by deinit.
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(SynthesisError) {
        guard let pointer = unsafe av_packet_alloc() else { throw outOfMemory("av_packet_alloc") }
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        var owned: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&owned)
    }

    /// Sets presentation and decoding time to `time`, in ticks of 90 kHz, and the duration.
    func setTime(_ time: Int64, duration: Int64) {
        // The pointer is valid as long as this value.
        unsafe pointer.pointee.pts = time
        unsafe pointer.pointee.dts = time
        unsafe pointer.pointee.duration = duration
    }

    /// A copy of the coded bytes.
    var bytes: [UInt8] {
        // libavcodec gives `size` bytes at `data`, which stay until the packet is used again.
        unsafe Array(UnsafeBufferPointer(start: pointer.pointee.data, count: Int(pointer.pointee.size)))
    }
}
