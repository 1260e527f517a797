import CDTVRCurl
import Glibc

/// The owner of a libcurl easy handle and of the memory that the handle refers to.
@safe struct EasyHandle: ~Copyable {
    /// The handle, valid until `deinit` and used on the transfer thread only.
    let pointer: UnsafeMutableRawPointer
    /// The buffer for libcurl's error message: CURL_ERROR_SIZE bytes, including the terminating zero.
    private let message: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// The cookies that the handle uses; released after it is freed.
    var cookies: CookieJar?

    init?() {
        guard let pointer = unsafe dtvr_curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
        unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe headerList = nil
        // The buffer is freed after the handle.
        _ = unsafe dtvr_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
    }

    deinit {
        // Free the handle first, because it refers to the list and the buffer.
        unsafe dtvr_curl_easy_cleanup(pointer)
        unsafe dtvr_curl_slist_free_all(headerList)
        unsafe message.deallocate()
    }

    /// The error message from libcurl; empty without one.
    var errorMessage: String { unsafe String(cString: message) }

    /// Throws if libcurl rejected an option, which ends the preparation of the request.
    func gate(_ code: CURLcode) throws(CurlFailure) {
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

    /// Makes the request a POST with a body.
    func setPostBody(_ bytes: [UInt8]) throws(CurlFailure) {
        try set(CURLOPT_POST, 1)
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(bytes.count))
        var copy = bytes.isEmpty ? [0] : bytes
        // COPYPOSTFIELDS copies the bytes, whose number is set above, before the call returns.
        try gate(
            unsafe copy.withUnsafeMutableBytes { body in
                unsafe dtvr_curl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, body.baseAddress)
            })
    }

    /// Adds header lines of the form `Name: value`; `Name:` removes a header that libcurl would add.
    mutating func setHeaderLines(_ lines: [String]) throws(CurlFailure) {
        for line in lines {
            // curl_slist_append copies the text; nil means that the list is unchanged.
            guard let longer = unsafe dtvr_curl_slist_append(headerList, line) else {
                throw CurlFailure(code: CURLE_OUT_OF_MEMORY)
            }
            unsafe headerList = longer
        }
        // The list outlives the handle.
        try gate(unsafe dtvr_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headerList))
    }

    /// Directs the callbacks of libcurl to `transfer`, which must outlive the handle.
    func setCallbacks(to transfer: RunningTransfer) throws(CurlFailure) {
        // The transfer owns this handle, so it is alive in every callback.
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        for option in [CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA] {
            try gate(unsafe dtvr_curl_set_pointer(pointer, option, context))
        }
        try gate(unsafe dtvr_curl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, Self.bodyCallback))
        try gate(
            unsafe dtvr_curl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, Self.headerCallback))
        try gate(unsafe dtvr_curl_set_opensocket_callback(pointer, Self.openSocketCallback))
        try gate(unsafe dtvr_curl_set_prerequest_callback(pointer, Self.prerequestCallback))
    }

    /// Sets the number that identifies the handle in the messages of the multi handle.
    func setIdentifier(_ identifier: UInt64) throws(CurlFailure) {
        // The pointer only carries the bits and is never dereferenced.
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
        // The handle owns the text, which is copied before the next call.
        guard unsafe dtvr_curl_get_string(pointer, info, &value) == CURLE_OK, let value = unsafe value else {
            return nil
        }
        return unsafe String(cString: value)
    }
}

/// The rejection of an option by libcurl.
struct CurlFailure: Error {
    let code: CURLcode
}

/// The callbacks that libcurl calls on the transfer thread.
///
/// In each, `context` is the `RunningTransfer` that owns the easy handle. It lives as long as the handle, and libcurl
/// calls no function after that.
extension EasyHandle {
    private static let bodyCallback: dtvr_curl_data_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
        let length = size * count
        // libcurl guarantees size × count readable bytes for the duration of this call.
        let result = unsafe UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: length) {
            start in
            transfer.receiveBody(unsafe Span(_unsafeStart: start, count: length))
        }
        return switch result {
        case .taken: length
        case .pause: Int(CURL_WRITEFUNC_PAUSE)
        // Any value other than the length stops the transfer; the transfer has recorded the reason.
        case .tooLarge, .truncated: length == 0 ? 1 : 0
        }
    }

    private static let headerCallback: dtvr_curl_data_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
        let length = size * count
        // As above: one header line without a terminating zero.
        let line = unsafe String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: Unicode.UTF8.self)
        return transfer.receiveHeader(line: line, byteCount: length) ? length : (length == 0 ? 1 : 0)
    }

    private static let openSocketCallback: dtvr_curl_opensocket_callback = { context, _, address in
        guard let context = unsafe context, let address = unsafe address else { return CURL_SOCKET_BAD }
        let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
        var bytes = [UInt8](repeating: 0, count: 16)
        // The shim writes at most 16 bytes.
        let count = unsafe dtvr_curl_address_bytes(address, &bytes)
        guard transfer.permits(SocketAddress(networkBytes: bytes.span.extracting(first: Int(count)))) else {
            return CURL_SOCKET_BAD
        }
        // The structure is valid for the call.
        let number = unsafe socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
        transfer.opened(socket: number)
        return number
    }

    /// Checks the address of a reused connection before anything is sent.
    ///
    /// Another request may have opened the connection under its own policy, and `openSocketCallback` does not run for
    /// it again.
    private static let prerequestCallback: dtvr_curl_prerequest_callback = { context, remote, _, _, _ in
        guard let context = unsafe context, let remote = unsafe remote else { return CURL_PREREQFUNC_ABORT }
        let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
        // libcurl's C string is valid for the duration of this call.
        let address = unsafe SocketAddress(String(cString: remote))
        let isPermitted = transfer.permits(address) && transfer.permitsPeer()
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}
