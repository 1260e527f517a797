import ByteReading
import CDTVRCurl

/// The owner of a libcurl multi handle.
@safe struct MultiHandle: ~Copyable, @unchecked Sendable {
    // Sendable: only the transfer thread uses the handle. Other threads call only `wakeUp`, which libcurl allows; the
    // owner's lock excludes `wakeUp` during `deinit`.

    let pointer: MultiPointer

    private static let isCurlReady: Bool = {
        // Initialize libcurl once per process, before any other call to it, but after libcrypto.
        Cryptography.isReady && dtvr_curl_global_init() == CURLE_OK
    }()

    init?(_ settings: HTTPClientSettings) {
        guard Self.isCurlReady, let handle = unsafe curl_multi_init() else { return nil }
        // The handle is new and not shared yet. `TransferQueue` limits the running transfers; this limits idle
        // connections.
        unsafe dtvr_curl_multi_set_long(
            handle, CURLMOPT_MAXCONNECTS, max(1, settings.maximumConnectionCount))
        pointer = unsafe MultiPointer(handle)
    }

    deinit {
        // The transfer thread has already removed all easy handles.
        unsafe curl_multi_cleanup(pointer.raw)
    }

    /// Wakes the transfer thread to read its mailbox; callable from any thread.
    func wakeUp() {
        // libcurl allows this call from any thread while the handle exists.
        unsafe curl_multi_wakeup(pointer.raw)
    }
}

/// The reference to the multi handle that the transfer thread uses; its owner outlives it.
@safe struct MultiPointer: @unchecked Sendable {
    // Sendable: passed to the transfer thread once and used only there.

    fileprivate let raw: UnsafeMutableRawPointer

    fileprivate init(_ raw: UnsafeMutableRawPointer) {
        unsafe self.raw = unsafe raw
    }

    // All calls below run on the transfer thread, before the owner frees the handle.

    func perform() {
        var stillRunning: Int32 = 0
        unsafe curl_multi_perform(raw, &stillRunning)
    }

    /// Waits for socket activity, a time limit or a wake-up.
    func wait() {
        unsafe curl_multi_poll(raw, nil, 0, 60_000, nil)
    }

    func add(_ transfer: RunningTransfer) throws(HTTPTransferError) {
        let code = unsafe curl_multi_add_handle(raw, transfer.easy.pointer)
        if code != CURLM_OK {
            throw HTTPTransferError(
                .local, target: transfer.exchange.request.target,
                detail: "libcurl error \(code.rawValue)")
        }
    }

    func remove(_ transfer: RunningTransfer) {
        unsafe curl_multi_remove_handle(raw, transfer.easy.pointer)
    }

    /// Resumes a transfer that was paused because its body was not read.
    ///
    /// libcurl delivers buffered data during the call. The returned code is the only report of an error in it: the
    /// transfer itself would continue and end successfully.
    func resume(_ transfer: RunningTransfer) -> CURLcode {
        unsafe curl_easy_pause(transfer.easy.pointer, CURLPAUSE_CONT)
    }

    /// Calls `body` with the identifier and result code of each newly finished transfer.
    func takeFinished(_ body: (UInt64, CURLcode) -> Void) {
        var left: Int32 = 0
        // The message is valid until the next libcurl call, which comes after it is read.
        while let message = unsafe curl_multi_info_read(raw, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle
            else {
                continue
            }
            let code = unsafe dtvr_curl_message_result(message)
            var context: UnsafeMutableRawPointer?
            // CURLOPT_PRIVATE holds the identifier as the bits of a pointer that is never dereferenced.
            unsafe dtvr_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            body(UInt64(UInt(bitPattern: context)), code)
        }
    }
}
