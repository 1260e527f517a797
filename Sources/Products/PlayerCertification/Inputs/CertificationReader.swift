package import PlayerSession

/// Reads an input of a certification in chunks, and recognizes its form by its first bytes.
///
/// The forms are a log of calls, records of a player, a list of addresses, a HAR file, and the `vars` of AMP pages.
package struct CertificationReader: Sendable {
    /// The maximum size of an object that has several lines; more bytes are a log.
    private static let maximumHeadByteCount = 256 << 10
    /// The maximum number of bytes before the first two braces of a HAR file, blanks included.
    private static let maximumStartByteCount = 1 << 10

    /// The bytes so far, until the form is known.
    private var head: [UInt8] = []
    private var log: CallLogReader?
    private var archive: HARReader?

    /// Creates a reader at the start of an input.
    package init() {}

    /// Parses the next bytes, and calls `visit` with each line that ends in them.
    package mutating func read(_ bytes: [UInt8], _ visit: (CallLogLine) -> Void) {
        if log != nil {
            log?.read(bytes, visit)
        } else if archive != nil {
            archive?.read(bytes, visit)
        } else {
            head += bytes
            recognize()
            flush(visit)
        }
    }

    /// Parses the rest of the input.
    package mutating func finish(_ visit: (CallLogLine) -> Void) {
        if log == nil, archive == nil {
            // An object with several lines becomes one line: a string has no line end in it.
            if case .object? = MetadataValue(json: Array(text)) {
                head = text.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
            }
            log = CallLogReader(acceptsRecords: true)
            flush(visit)
        }
        log?.finish(visit)
        archive?.finish(visit)
    }

    private mutating func flush(_ visit: (CallLogLine) -> Void) {
        guard log != nil || archive != nil else { return }
        let bytes = Array(text)
        head = []
        read(bytes, visit)
    }

    /// The bytes so far, without a byte order mark.
    private var text: ArraySlice<UInt8> {
        head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
    }

    private mutating func recognize() {
        let text = text.drop(while: Self.isBlank)
        let archiveStart = Array("{\"log\":{".utf8)
        let start = text.prefix(Self.maximumStartByteCount).filter { !Self.isBlank($0) }
        if start.starts(with: archiveStart) {
            archive = HARReader()
            return
        }
        let isFull = head.count > Self.maximumHeadByteCount
        // The start has not arrived as a whole.
        if !isFull, text.count < Self.maximumStartByteCount, archiveStart.starts(with: start) { return }
        let line = text.prefix { $0 != 0x0A }
        let isLine = line.count < text.count && MetadataValue(json: Array(line)) != nil
        if isFull || isLine || text.first != UInt8(ascii: "{") { log = CallLogReader(acceptsRecords: true) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
