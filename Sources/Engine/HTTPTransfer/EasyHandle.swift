import CDTVRCurl

/// The owner of one libcurl easy handle and of the memory that libcurl keeps pointers into meanwhile.
@safe struct EasyHandle: ~Copyable {
    /// Valid until `deinit`; used on the transfer thread only.
    let pointer: UnsafeMutableRawPointer
    /// Where libcurl writes what it has to say about a failure; CURL_ERROR_SIZE bytes, and a zero at the end.
    private let message: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?

    init?() {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe headerList = nil
        // The buffer is freed after the handle.
        _ = unsafe dtvr_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
    }

    deinit {
        // The handle goes first: it points at the other two.
        unsafe curl_easy_cleanup(pointer)
        unsafe curl_slist_free_all(headerList)
        unsafe message.deallocate()
    }

    /// What libcurl said about the failure; empty where it said nothing.
    var errorMessage: String { unsafe String(cString: message) }

    /// The one gate for options: the first that libcurl refuses ends the preparation of a request.
    private func gate(_ code: CURLcode) throws(CurlFailure) {
        if code != CURLE_OK { throw CurlFailure(code: code) }
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) {
        // The handle is valid while self is.
        try gate(unsafe dtvr_curl_set_long(pointer, option, value))
    }

    func set(_ option: CURLoption, offset value: Int64) throws(CurlFailure) {
        // As above.
        try gate(unsafe dtvr_curl_set_offset(pointer, option, Int(value)))
    }

    func set(_ option: CURLoption, _ value: String?) throws(CurlFailure) {
        // libcurl copies strings.
        try gate(unsafe dtvr_curl_set_string(pointer, option, value))
    }

    /// Makes the request a POST of these bytes.
    func setPostBody(_ bytes: [UInt8]) throws(CurlFailure) {
        try set(CURLOPT_POST, 1)
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(bytes.count))
        var copy = bytes.isEmpty ? [0] : bytes
        // COPYPOSTFIELDS copies as many bytes as the size above says, before the call is over.
        try gate(
            unsafe copy.withUnsafeMutableBytes { body in
                unsafe dtvr_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, body.baseAddress)
            })
    }

    /// Sends these header lines, `Name: value`; `Name:` leaves a line of libcurl's own out.
    mutating func setHeaderLines(_ lines: [String]) throws(CurlFailure) {
        for line in lines {
            // curl_slist_append copies the text; nil means that the list stayed as it was.
            guard let longer = unsafe curl_slist_append(headerList, line) else {
                throw CurlFailure(code: CURLE_OUT_OF_MEMORY)
            }
            unsafe headerList = longer
        }
        // The list lives until the handle is gone.
        try gate(unsafe dtvr_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headerList))
    }

    /// Has libcurl hand bytes, header lines and addresses to `transfer`, which must outlive the handle.
    func setCallbacks(to transfer: RunningTransfer) throws(CurlFailure) {
        // The transfer owns this handle, so it is alive in every callback.
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA] {
            try gate(unsafe dtvr_curl_set_pointer(pointer, option, context))
        }
        try gate(unsafe dtvr_curl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, TransferCallbacks.body))
        try gate(
            unsafe dtvr_curl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, TransferCallbacks.header))
        try gate(unsafe dtvr_curl_set_opensocket_callback(pointer, TransferCallbacks.openSocket))
        try gate(unsafe dtvr_curl_set_prerequest_callback(pointer, TransferCallbacks.prerequest))
    }

    /// Marks the handle with a number by which the multi handle's messages name it.
    func setIdentifier(_ identifier: UInt64) throws(CurlFailure) {
        // Only the bits are kept; nobody follows the pointer.
        try gate(
            unsafe dtvr_curl_set_pointer(
                pointer, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: UInt(identifier))))
    }

    func integer(_ info: CURLINFO) -> Int? {
        var value = 0
        // libcurl writes a long through the pointer.
        return unsafe dtvr_curl_get_long(pointer, info, &value) == CURLE_OK ? value : nil
    }

    func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        // The text belongs to the handle, and is copied before anything else happens to it.
        guard unsafe dtvr_curl_get_string(pointer, info, &value) == CURLE_OK, let value = unsafe value else {
            return nil
        }
        return unsafe String(cString: value)
    }
}

/// An option that libcurl did not accept.
struct CurlFailure: Error {
    let code: CURLcode
}
