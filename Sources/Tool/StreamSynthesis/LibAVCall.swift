import CDTVRLibAV

/// Opens the libraries, without their log output to standard error; failures are reported as errors.
func openLibAV() throws(SynthesisError) {
    guard let name = unsafe dtvr_av_missing() else { return }
    // The name is a constant.
    throw .missingLibrary(name: unsafe String(cString: name))
}

/// Passes named options to a call that replaces them with the unsupported ones, and throws if any remain.
func libAV(
    _ function: String, options: [(String, String)],
    _ body: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
) throws(SynthesisError) {
    var dictionary: OpaquePointer?
    // The dictionary is used only in this call, and the strings outlive the calls, which copy them.
    defer { unsafe dtvr_av_dict_free(&dictionary) }
    for (name, value) in options {
        try unsafe libAV("av_dict_set", dtvr_av_dict_set(&dictionary, name, value, 0))
    }
    try unsafe libAV(function, body(&dictionary))
    guard unsafe dtvr_av_dict_count(dictionary) == 0 else {
        throw .library(function: function, code: 0, message: "unknown option")
    }
}

/// Returns the result of a libav* call, or throws if it is negative.
@discardableResult
func libAV(_ function: String, _ code: Int32) throws(SynthesisError) -> Int32 {
    guard code < 0 else { return code }
    var text = [CChar](repeating: 0, count: 128)
    // The count is that of the buffer, and av_strerror terminates the string for any code.
    unsafe text.withUnsafeMutableBufferPointer { buffer in
        _ = unsafe dtvr_av_strerror(code, buffer.baseAddress, buffer.count)
    }
    let message = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    throw .library(function: function, code: code, message: message)
}

/// Returns the error for a failed libav* allocation.
func outOfMemory(_ function: String) -> SynthesisError {
    .library(function: function, code: dtvr_averror_enomem, message: "out of memory")
}
