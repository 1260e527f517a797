import CDTVRLibAV

/// Named options for an encoder or a muxer, which consumes the ones it supports.
@safe struct LibAVOptions: ~Copyable {
    // Owned: freed once, by deinit; nil while empty.
    private var dictionary: OpaquePointer?

    init(_ options: [(String, String)]) throws(SynthesisError) {
        unsafe dictionary = nil
        for (name, value) in options {
            // The strings outlive the call, which copies them.
            try unsafe libAV("av_dict_set", av_dict_set(&dictionary, name, value, 0))
        }
    }

    deinit {
        var owned = unsafe dictionary
        unsafe av_dict_free(&owned)
    }

    /// Passes the options to a call that replaces them with the unsupported ones, and throws if any remain.
    mutating func pass(
        to function: String, _ body: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
    ) throws(SynthesisError) {
        // The pointer refers to this value's storage, and `body` does not keep it after its call.
        try unsafe libAV(function, body(&dictionary))
        guard unsafe av_dict_count(dictionary) == 0 else {
            throw .library(function: function, code: 0, message: "unknown option")
        }
    }
}

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
