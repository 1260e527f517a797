import CDTVRLibAV

/// The gate that every call of libav* passes: a negative result becomes an error, another one is handed back.
@discardableResult
func libAV(_ function: String, _ code: Int32) throws(SynthesisError) -> Int32 {
    guard code < 0 else { return code }
    var text = [CChar](repeating: 0, count: 128)
    // The buffer is as long as said, and av_strerror ends it with a zero whatever the code is.
    unsafe text.withUnsafeMutableBufferPointer { buffer in
        _ = unsafe av_strerror(code, buffer.baseAddress, buffer.count)
    }
    let message = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    throw .library(function: function, code: code, message: message)
}

/// The error for an allocation of libav* that gave nothing.
func outOfMemory(_ function: String) -> SynthesisError {
    .library(function: function, code: dtvr_averror_enomem, message: "out of memory")
}
