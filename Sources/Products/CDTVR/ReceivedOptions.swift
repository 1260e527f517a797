import CDTVRHeader
import PlayerSession

/// Why what C hands over cannot be taken.
struct RefusedArgument: Error {
    let status: dtvr_status
}

extension dtvr_options {
    /// Copies as many of the caller's options as it knows of; the others are 0.
    init(copying pointer: UnsafePointer<dtvr_options>) throws(RefusedArgument) {
        // The first field is in every version, and says how many bytes may be read.
        let size = unsafe pointer.pointee.size
        guard size >= MemoryLayout<Int>.size else {
            throw RefusedArgument(status: DTVR_INVALID_OPTION)
        }
        unsafe self.init()
        unsafe withUnsafeMutableBytes(of: &self) { bytes in
            unsafe bytes.copyMemory(
                from: UnsafeRawBufferPointer(start: pointer, count: min(size, bytes.count)))
        }
    }
}

extension SessionOptions {
    /// What C's options say.
    init(_ known: dtvr_options) throws(RefusedArgument) {
        var texts: [String?] = []
        let received = unsafe [
            ReceivedText(known.directory), ReceivedText(known.configuration_file),
            ReceivedText(known.configuration_url), ReceivedText(known.authorities_file),
        ]
        for text in received {
            switch text {
            case .none: texts.append(nil)
            case .text(let text): texts.append(text)
            case .notUTF8: throw RefusedArgument(status: DTVR_NOT_UTF8)
            }
        }
        guard let directory = texts[0], !directory.isEmpty else {
            throw RefusedArgument(status: DTVR_INVALID_OPTION)
        }
        self.init(directory: directory)
        if let path = texts[1] {
            configuration = .file(path: path)
        } else if let address = texts[2] {
            configuration = .url(address)
        }
        authoritiesFile = texts[3]
        let (byteCount, seconds) = unsafe (known.maximum_bytes, known.maximum_age_seconds)
        let bounds: ClosedRange<UInt64> = 2_000_000...1_000_000_000_000
        guard byteCount == 0 || bounds.contains(byteCount), seconds <= 100 * 365 * 86_400 else {
            throw RefusedArgument(status: DTVR_INVALID_OPTION)
        }
        if byteCount != 0 { store.maximumByteCount = Int(byteCount) }
        if seconds != 0 { store.maximumAge = .seconds(Int64(seconds)) }
        keepsRepeats = unsafe known.keeps_repeats
    }
}
