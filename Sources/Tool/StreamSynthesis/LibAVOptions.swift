import CDTVRLibAV

/// Options by name for an encoder or a muxer, which take out what they know.
@safe struct LibAVOptions: ~Copyable {
    // Owned: freed once, by deinit; nil while empty.
    private var dictionary: OpaquePointer?

    init(_ options: [(String, String)]) throws(SynthesisError) {
        unsafe dictionary = nil
        for (name, value) in options {
            // The strings live through the call, which copies them.
            try unsafe libAV("av_dict_set", av_dict_set(&dictionary, name, value, 0))
        }
    }

    deinit {
        var owned = unsafe dictionary
        unsafe av_dict_free(&owned)
    }

    /// Hands the options to a call that replaces them by those it did not know, and refuses if any are left.
    mutating func pass(
        to function: String, _ body: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
    ) throws(SynthesisError) {
        // The pointer is to this value's own storage, and `body` keeps it no longer than its call.
        try unsafe libAV(function, body(&dictionary))
        guard unsafe av_dict_count(dictionary) == 0 else {
            throw .library(function: function, code: 0, message: "an option is not known to it")
        }
    }
}
