import CDTVRHeader

/// Memory of the caller that a text is answered into.
@safe struct AnsweredText {
    private let buffer: UnsafeMutablePointer<CChar>?
    private let capacity: UInt
    private let length: UnsafeMutablePointer<Int>?

    init(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?) {
        unsafe self.buffer = buffer
        self.capacity = unsafe buffer == nil ? 0 : UInt(bitPattern: capacity)
        unsafe self.length = length
    }

    /// Copies a text with a NUL after it, where there is room, and tells its length in any case.
    func take(_ text: String?) -> dtvr_status {
        let bytes = Array((text ?? "").utf8)
        // The caller's number, to be written to while the call lasts.
        unsafe length?.pointee = bytes.count
        guard let buffer = unsafe buffer, capacity > UInt(bytes.count) else {
            return text == nil ? DTVR_NOTHING : DTVR_TOO_SMALL
        }
        // The caller says that there is room for `capacity` bytes, which the text and its NUL do not exceed.
        for (index, byte) in bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
        unsafe buffer[bytes.count] = 0
        return text == nil ? DTVR_NOTHING : DTVR_DONE
    }
}
