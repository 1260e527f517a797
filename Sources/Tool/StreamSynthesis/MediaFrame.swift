import CDTVRLibAV

/// A frame, which owns an `AVFrame` with its buffers.
@safe struct MediaFrame: ~Copyable {
    // Owned and never nil: allocated by `make`, freed once by deinit.
    let pointer: UnsafeMutablePointer<AVFrame>

    private init(owning pointer: UnsafeMutablePointer<AVFrame>) {
        unsafe self.pointer = unsafe pointer
    }

    /// Creates a frame with buffers for the format set by `configure`.
    static func make(
        configure: (UnsafeMutablePointer<AVFrame>) -> Void
    ) throws(SynthesisError) -> MediaFrame {
        guard let pointer = unsafe av_frame_alloc() else { throw outOfMemory("av_frame_alloc") }
        // From here on, deinit frees the frame, even if an error is thrown.
        let frame = unsafe MediaFrame(owning: pointer)
        unsafe configure(pointer)
        try unsafe libAV("av_frame_get_buffer", av_frame_get_buffer(pointer, 0))
        return frame
    }

    deinit {
        var owned: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&owned)
    }

    /// Ensures exclusive access to the buffers, whose content is preserved.
    func makeWritable() throws(SynthesisError) {
        // The frame is owned by this value.
        try unsafe libAV("av_frame_make_writable", av_frame_make_writable(pointer))
    }
}
