import CDTVRHeader

/// The caller's memory that receives a text.
@safe struct AnsweredText {
    private let buffer: UnsafeMutablePointer<CChar>?
    private let capacity: UInt
    private let length: UnsafeMutablePointer<Int>?

    init(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?) {
        unsafe self.buffer = buffer
        self.capacity = unsafe buffer == nil ? 0 : UInt(bitPattern: capacity)
        unsafe self.length = length
    }

    /// Copies a text and a NUL to the buffer if both fit, and always writes the length of the text.
    func take(_ text: String?) -> dtvr_status {
        let bytes = Array((text ?? "").utf8)
        // Safe: the caller's variable is valid for the duration of the call.
        unsafe length?.pointee = bytes.count
        guard let buffer = unsafe buffer, capacity > UInt(bytes.count) else {
            return text == nil ? DTVR_NOTHING : DTVR_TOO_SMALL
        }
        // Safe: the caller guarantees `capacity` bytes, and the guard has checked that the text and its NUL fit.
        for (index, byte) in bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
        unsafe buffer[bytes.count] = 0
        return text == nil ? DTVR_NOTHING : DTVR_DONE
    }
}
