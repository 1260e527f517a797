import CDTVRLibAV

/// The owner of an `AVFrame` with its own buffers.
@safe struct MediaFrame: ~Copyable {
    // Owned and never nil: allocated by `make`, freed once by deinit.
    let pointer: UnsafeMutablePointer<AVFrame>

    private init(owning pointer: UnsafeMutablePointer<AVFrame>) {
        unsafe self.pointer = unsafe pointer
    }

    /// A frame with buffers for what `configure` says.
    static func make(
        configure: (UnsafeMutablePointer<AVFrame>) -> Void
    ) throws(SynthesisError) -> MediaFrame {
        guard let pointer = unsafe av_frame_alloc() else { throw outOfMemory("av_frame_alloc") }
        // From here deinit frees the frame, also when what follows throws.
        let frame = unsafe MediaFrame(owning: pointer)
        unsafe configure(pointer)
        try unsafe libAV("av_frame_get_buffer", av_frame_get_buffer(pointer, 0))
        return frame
    }

    deinit {
        var owned: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&owned)
    }

    /// Makes sure that nothing else reads the buffers, which keep what is in them.
    func makeWritable() throws(SynthesisError) {
        // The frame is owned by this value.
        try unsafe libAV("av_frame_make_writable", av_frame_make_writable(pointer))
    }
}
