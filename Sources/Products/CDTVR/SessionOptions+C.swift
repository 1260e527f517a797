import CDTVRHeader
import PlayerSession

/// An invalid argument, with the status to return.
struct ArgumentError: Error {
    let status: dtvr_status
}

extension dtvr_options {
    /// Copies the fields that the caller's version of the structure has, and leaves the others 0.
    init(copying pointer: UnsafePointer<dtvr_options>) throws(ArgumentError) {
        // Safe: `size` is the first field in every version, and says how many bytes are readable.
        let size = unsafe pointer.pointee.size
        guard size >= MemoryLayout<Int>.size else {
            throw ArgumentError(status: DTVR_INVALID_OPTION)
        }
        unsafe self.init()
        unsafe withUnsafeMutableBytes(of: &self) { bytes in
            unsafe bytes.copyMemory(
                from: UnsafeRawBufferPointer(start: pointer, count: min(size, bytes.count)))
        }
    }
}

extension SessionOptions {
    /// Converts C options; throws if one is missing, out of range or not UTF-8.
    init(_ known: dtvr_options) throws(ArgumentError) {
        var texts: [String?] = []
        let inputs = unsafe [
            InputText(known.directory), InputText(known.configuration_file),
            InputText(known.configuration_url), InputText(known.authorities_file),
            InputText(known.log),
        ]
        for text in inputs {
            switch text {
            case .none: texts.append(nil)
            case .text(let text): texts.append(text)
            case .notUTF8: throw ArgumentError(status: DTVR_NOT_UTF8)
            }
        }
        guard let directory = texts[0], !directory.isEmpty else {
            throw ArgumentError(status: DTVR_INVALID_OPTION)
        }
        self.init(directory: directory)
        if let path = texts[1] {
            configuration = .file(path: path)
        } else if let address = texts[2] {
            configuration = .url(address)
        }
        authoritiesFile = texts[3]
        log = texts[4]
        let (byteCount, seconds) = unsafe (known.maximum_bytes, known.maximum_age_seconds)
        let bounds: ClosedRange<UInt64> = 2_000_000...1_000_000_000_000
        guard byteCount == 0 || bounds.contains(byteCount), seconds <= 100 * 365 * 86_400 else {
            throw ArgumentError(status: DTVR_INVALID_OPTION)
        }
        if byteCount != 0 { store.maximumByteCount = Int(byteCount) }
        if seconds != 0 { store.maximumAge = .seconds(Int64(seconds)) }
        keepsRepeats = unsafe known.keeps_repeats
    }
}
