import CDTVRCurl

/// The names and error kinds of the result codes of a transfer.
extension CURLcode {
    /// The kind of the error.
    var kind: HTTPTransferError.Kind { Self.known[rawValue]?.kind ?? .local }

    /// The name in libcurl's manual.
    var name: String { Self.known[rawValue]?.name ?? "CURLE_\(rawValue)" }

    private static let known: [UInt32: (name: String, kind: HTTPTransferError.Kind)] = [
        CURLE_UNSUPPORTED_PROTOCOL.rawValue: ("CURLE_UNSUPPORTED_PROTOCOL", .redirectRefused),
        CURLE_FAILED_INIT.rawValue: ("CURLE_FAILED_INIT", .local),
        CURLE_URL_MALFORMAT.rawValue: ("CURLE_URL_MALFORMAT", .invalidRequest),
        CURLE_COULDNT_RESOLVE_PROXY.rawValue: ("CURLE_COULDNT_RESOLVE_PROXY", .nameNotResolved),
        CURLE_COULDNT_RESOLVE_HOST.rawValue: ("CURLE_COULDNT_RESOLVE_HOST", .nameNotResolved),
        CURLE_COULDNT_CONNECT.rawValue: ("CURLE_COULDNT_CONNECT", .notConnected),
        CURLE_WEIRD_SERVER_REPLY.rawValue: ("CURLE_WEIRD_SERVER_REPLY", .malformedResponse),
        CURLE_HTTP2.rawValue: ("CURLE_HTTP2", .interrupted),
        CURLE_PARTIAL_FILE.rawValue: ("CURLE_PARTIAL_FILE", .interrupted),
        CURLE_WRITE_ERROR.rawValue: ("CURLE_WRITE_ERROR", .local),
        CURLE_OUT_OF_MEMORY.rawValue: ("CURLE_OUT_OF_MEMORY", .local),
        CURLE_OPERATION_TIMEDOUT.rawValue: ("CURLE_OPERATION_TIMEDOUT", .timedOut),
        CURLE_RANGE_ERROR.rawValue: ("CURLE_RANGE_ERROR", .malformedResponse),
        CURLE_SSL_CONNECT_ERROR.rawValue: ("CURLE_SSL_CONNECT_ERROR", .tlsFailed),
        CURLE_ABORTED_BY_CALLBACK.rawValue: ("CURLE_ABORTED_BY_CALLBACK", .cancelled),
        CURLE_TOO_MANY_REDIRECTS.rawValue: ("CURLE_TOO_MANY_REDIRECTS", .redirectRefused),
        CURLE_GOT_NOTHING.rawValue: ("CURLE_GOT_NOTHING", .interrupted),
        CURLE_SEND_ERROR.rawValue: ("CURLE_SEND_ERROR", .interrupted),
        CURLE_RECV_ERROR.rawValue: ("CURLE_RECV_ERROR", .interrupted),
        CURLE_SSL_CERTPROBLEM.rawValue: ("CURLE_SSL_CERTPROBLEM", .tlsFailed),
        CURLE_SSL_CIPHER.rawValue: ("CURLE_SSL_CIPHER", .tlsFailed),
        CURLE_PEER_FAILED_VERIFICATION.rawValue: ("CURLE_PEER_FAILED_VERIFICATION", .tlsFailed),
        CURLE_BAD_CONTENT_ENCODING.rawValue: ("CURLE_BAD_CONTENT_ENCODING", .malformedResponse),
        CURLE_FILESIZE_EXCEEDED.rawValue: ("CURLE_FILESIZE_EXCEEDED", .bodyTooLarge),
        CURLE_SEND_FAIL_REWIND.rawValue: ("CURLE_SEND_FAIL_REWIND", .interrupted),
        CURLE_SSL_ENGINE_INITFAILED.rawValue: ("CURLE_SSL_ENGINE_INITFAILED", .tlsFailed),
        CURLE_SSL_CACERT_BADFILE.rawValue: ("CURLE_SSL_CACERT_BADFILE", .tlsFailed),
        CURLE_SSL_SHUTDOWN_FAILED.rawValue: ("CURLE_SSL_SHUTDOWN_FAILED", .interrupted),
        CURLE_SSL_CRL_BADFILE.rawValue: ("CURLE_SSL_CRL_BADFILE", .tlsFailed),
        CURLE_SSL_ISSUER_ERROR.rawValue: ("CURLE_SSL_ISSUER_ERROR", .tlsFailed),
        CURLE_CHUNK_FAILED.rawValue: ("CURLE_CHUNK_FAILED", .malformedResponse),
        CURLE_NO_CONNECTION_AVAILABLE.rawValue: ("CURLE_NO_CONNECTION_AVAILABLE", .notConnected),
        CURLE_SSL_INVALIDCERTSTATUS.rawValue: ("CURLE_SSL_INVALIDCERTSTATUS", .tlsFailed),
        CURLE_HTTP2_STREAM.rawValue: ("CURLE_HTTP2_STREAM", .interrupted),
        CURLE_HTTP3.rawValue: ("CURLE_HTTP3", .interrupted),
        CURLE_PROXY.rawValue: ("CURLE_PROXY", .notConnected),
        CURLE_UNRECOVERABLE_POLL.rawValue: ("CURLE_UNRECOVERABLE_POLL", .local),
    ]
}
