import CDTVRCurl

/// The owner of a libcurl multi handle.
@safe struct MultiHandle: ~Copyable, @unchecked Sendable {
    // Sendable: the transfer thread alone drives the handle; `wakeUp` is the one function of libcurl that other
    // threads may call, and does not run beside `deinit` because the owner keeps both under one lock.

    let pointer: MultiPointer

    private static let isCurlReady: Bool = {
        // Once in the process, before any other call of libcurl.
        dtvr_curl_global_init() == CURLE_OK
    }()

    init?(_ settings: HTTPClientSettings) {
        guard Self.isCurlReady, let handle = unsafe curl_multi_init() else { return nil }
        // The handle was just made and is not shared yet.
        // How many run at a time the queue of the transfers decides; so many are kept open for the next ones.
        unsafe dtvr_curl_multi_set_long(
            handle, CURLMOPT_MAXCONNECTS, max(1, settings.maximumConnectionCount))
        pointer = unsafe MultiPointer(handle)
    }

    deinit {
        // No easy handle is left in it: the thread removes all before it lets go.
        unsafe curl_multi_cleanup(pointer.raw)
    }

    /// Has the transfer thread look into its box; from any thread.
    func wakeUp() {
        // Safe on any thread while the handle lives, as libcurl's manual says.
        unsafe curl_multi_wakeup(pointer.raw)
    }
}

/// The multi handle as the transfer thread uses it, which keeps its owner alive meanwhile.
@safe struct MultiPointer: @unchecked Sendable {
    // Sendable: handed to the transfer thread once, and used by no other.

    fileprivate let raw: UnsafeMutableRawPointer

    fileprivate init(_ raw: UnsafeMutableRawPointer) {
        unsafe self.raw = unsafe raw
    }

    // Every call below is made on the transfer thread, before the owner lets the handle go.

    func perform() {
        var stillRunning: Int32 = 0
        unsafe curl_multi_perform(raw, &stillRunning)
    }

    /// Waits for a socket, a time limit or a wake-up.
    func wait() {
        unsafe curl_multi_poll(raw, nil, 0, 60_000, nil)
    }

    func add(_ transfer: RunningTransfer) throws(HTTPTransferError) {
        let code = unsafe curl_multi_add_handle(raw, transfer.easy.pointer)
        if code != CURLM_OK {
            throw HTTPTransferError(
                .local, target: transfer.exchange.request.target,
                detail: "libcurl refused it (\(code.rawValue))")
        }
    }

    func remove(_ transfer: RunningTransfer) {
        unsafe curl_multi_remove_handle(raw, transfer.easy.pointer)
    }

    /// Lets a transfer go on whose body nobody had taken.
    ///
    /// libcurl hands over what it holds of the body meanwhile. Where that fails, this result is all that tells of it:
    /// the transfer itself would go on, and end as a good one.
    func resume(_ transfer: RunningTransfer) -> CURLcode {
        unsafe curl_easy_pause(transfer.easy.pointer, CURLPAUSE_CONT)
    }

    /// Names each transfer that has ended since the last time, and how.
    func takeFinished(_ body: (UInt64, CURLcode) -> Void) {
        var left: Int32 = 0
        // The message is valid until the next call of libcurl, and is read before that.
        while let message = unsafe curl_multi_info_read(raw, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle
            else {
                continue
            }
            let code = unsafe dtvr_curl_message_result(message)
            var context: UnsafeMutableRawPointer?
            // CURLOPT_PRIVATE holds the identifier as the bits of a pointer that is never followed.
            unsafe dtvr_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            body(UInt64(UInt(bitPattern: context)), code)
        }
    }
}
