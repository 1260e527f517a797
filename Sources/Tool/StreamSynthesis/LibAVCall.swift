import CDTVRLibAV

/// Returns the result of a libav* call, or throws if it is negative.
@discardableResult
func libAV(_ function: String, _ code: Int32) throws(SynthesisError) -> Int32 {
    guard code < 0 else { return code }
    var text = [CChar](repeating: 0, count: 128)
    // The count is that of the buffer, and av_strerror terminates the string for any code.
    unsafe text.withUnsafeMutableBufferPointer { buffer in
        _ = unsafe av_strerror(code, buffer.baseAddress, buffer.count)
    }
    let message = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    throw .library(function: function, code: code, message: message)
}

/// Returns the error for a failed libav* allocation.
func outOfMemory(_ function: String) -> SynthesisError {
    .library(function: function, code: dtvr_averror_enomem, message: "out of memory")
}
