import CDTVRZlib
import CDTVRZstd

/// The content encodings that a collector reads.
enum ContentEncoding: String, Sendable, Hashable, CaseIterable {
    case identity
    case gzip
    case zstd

    /// The encoding that the header field names; identity where it is missing, nil where it is not known.
    init?(field: String?) {
        let name = (field ?? "identity").trimmed.lowercased()
        if name.isEmpty {
            self = .identity
        } else if name == "x-gzip" {
            self = .gzip
        } else {
            self.init(rawValue: name)
        }
    }
}

extension String {
    var trimmed: String {
        let blanks: [Character] = [" ", "\t"]
        return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
    }
}

/// Decodes a body whole, to a bound.
enum ContentDecoder {
    enum Failure: Error, Sendable, Hashable {
        /// The bytes are not what the encoding says, or end too soon.
        case damaged
        /// More comes out than may.
        case tooLarge
    }

    static func decode(
        _ bytes: [UInt8], _ encoding: ContentEncoding, limit: Int
    ) throws(Failure) -> [UInt8] {
        switch encoding {
        case .identity:
            if bytes.count > limit { throw .tooLarge }
            return bytes
        case .gzip: return try gunzip(bytes, limit: limit)
        case .zstd: return try unzstd(bytes, limit: limit)
        }
    }

    /// How much is asked of a library at a time.
    private static let step = 256 << 10

    private static func unzstd(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        guard let stream = unsafe ZSTD_createDStream() else { throw .damaged }
        // The stream lives for this call only.
        defer { unsafe ZSTD_freeDStream(stream) }
        // A frame may ask for a window of gigabytes; 8 MiB is what level 19 uses.
        _ = unsafe ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 23)
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: step)
        var position = 0
        var pending = 1
        while position < bytes.count || pending > 0 {
            var written = 0
            let before = position
            let result = unsafe bytes.withUnsafeBytes { source in
                unsafe buffer.withUnsafeMutableBytes { target in
                    // zstd stays within the sizes that it is told, and moves the two positions.
                    var input = unsafe ZSTD_inBuffer(
                        src: source.baseAddress, size: source.count, pos: position)
                    var space = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
                    let result = unsafe ZSTD_decompressStream(stream, &space, &input)
                    position = unsafe input.pos
                    written = unsafe space.pos
                    return result
                }
            }
            if ZSTD_isError(result) != 0 { throw .damaged }
            if output.count + written > limit { throw .tooLarge }
            output.append(contentsOf: buffer[..<written])
            pending = result
            // Neither a byte read nor one written: the frame ends too soon.
            if position == before && written == 0 { throw .damaged }
        }
        return output
    }

    private static func gunzip(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var stream = unsafe z_stream()
        // 16 asks for the gzip form.
        guard unsafe dtvr_inflate_init(&stream, 16 + MAX_WBITS) == Z_OK else { throw .damaged }
        // The stream was initialised, and is used in this call only.
        defer { _ = unsafe inflateEnd(&stream) }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: step)
        var input = bytes
        var position = 0
        while true {
            var written = 0
            let before = position
            let result = unsafe input.withUnsafeMutableBufferPointer { source in
                unsafe buffer.withUnsafeMutableBufferPointer { target in
                    guard let from = source.baseAddress, let to = target.baseAddress else {
                        return Z_DATA_ERROR
                    }
                    // zlib reads avail_in bytes at most and writes avail_out at most, and both are in the arrays.
                    unsafe stream.next_in = unsafe from + position
                    unsafe stream.avail_in = UInt32(clamping: source.count - position)
                    unsafe stream.next_out = unsafe to
                    unsafe stream.avail_out = UInt32(clamping: target.count)
                    let result = unsafe inflate(&stream, Z_NO_FLUSH)
                    position = unsafe source.count - Int(stream.avail_in)
                    written = unsafe target.count - Int(stream.avail_out)
                    return result
                }
            }
            if output.count + written > limit { throw .tooLarge }
            output.append(contentsOf: buffer[..<written])
            switch result {
            case Z_STREAM_END:
                // What follows a member is either another one or damage; nobody sends several.
                if position < bytes.count { throw .damaged }
                return output
            case Z_OK where position > before || written > 0:
                continue
            default:
                throw .damaged
            }
        }
    }
}
