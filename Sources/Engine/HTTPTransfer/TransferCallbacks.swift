import CDTVRCurl
import Glibc

/// The callbacks that libcurl calls on the transfer thread.
///
/// In each, `context` is the `RunningTransfer` that owns the easy handle. It lives as long as the handle, and libcurl
/// calls no function after that.
enum TransferCallbacks {
    static let body: dtvr_curl_data_callback = { bytes, size, count, context in
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

    static let header: dtvr_curl_data_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
        let length = size * count
        // As above: one header line without a terminating zero.
        let line = unsafe String(
            decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: Unicode.UTF8.self)
        return transfer.receiveHeader(line: line, byteCount: length) ? length : (length == 0 ? 1 : 0)
    }

    static let openSocket: dtvr_curl_opensocket_callback = { context, _, address in
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
    /// Another request may have opened the connection under its own policy, and `openSocket` does not run for it again.
    static let prerequest: dtvr_curl_prerequest_callback = { context, remote, _, _, _ in
        guard let context = unsafe context, let remote = unsafe remote else { return CURL_PREREQFUNC_ABORT }
        let transfer = unsafe Unmanaged<RunningTransfer>.fromOpaque(context).takeUnretainedValue()
        // libcurl's C string is valid for the duration of this call.
        let address = unsafe SocketAddress(String(cString: remote))
        let isPermitted = transfer.permits(address) && transfer.permitsPeer()
        return isPermitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}
