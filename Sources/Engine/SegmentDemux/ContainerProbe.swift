import ByteReading

/// Detects the container of a segment from its first bytes, regardless of its file name.
struct ContainerProbe {
    enum Answer: Hashable {
        case transportStream
        case fragmentedMP4
        case packedAudio
        case unknown
    }

    /// The maximum number of bytes of leading tags that the probe reads.
    let limit: Int

    /// Whether the segment is in no known container.
    var isUnknown = false

    private var bytes: [UInt8] = []

    /// The number of bytes required before the next attempt.
    private var nextByteCount = 0

    /// The total number of bytes examined, counted again at each attempt.
    private(set) var examinedByteCount = 0

    /// The number of bytes after the leading tags that are searched for transport packets.
    static let searchByteCount = 64 << 10

    init(limit: Int = DemuxLimits().maximumFrontByteCount) { self.limit = limit }

    var isEmpty: Bool { bytes.isEmpty }

    /// The number of buffered bytes.
    var byteCount: Int { bytes.count }

    mutating func append(_ chunk: Span<UInt8>) {
        bytes.append(chunk)
    }

    /// Returns and clears the buffered bytes.
    mutating func drainBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Returns the container, or nil if more bytes are needed.
    ///
    /// After an undecided attempt, the bytes are examined again when their number has doubled, or at the end. The total
    /// cost is therefore a small multiple of the last attempt, however small the chunks are.
    mutating func decide(isEnd: Bool) -> Answer? {
        guard isEnd || bytes.count >= nextByteCount else { return nil }
        nextByteCount = 2 * bytes.count
        examinedByteCount += bytes.count
        return Self.decide(bytes.span, isEnd: isEnd, limit: limit)
    }

    /// Returns the container of a segment that begins with `bytes`, or nil if more bytes are needed.
    static func decide(_ bytes: Span<UInt8>, isEnd: Bool, limit: Int) -> Answer? {
        if !isEnd, bytes.count < 8 { return nil }
        if isBox(bytes) { return .fragmentedMP4 }
        guard let front = endOfTags(bytes, isEnd: isEnd, limit: limit) else { return nil }
        guard isEnd || bytes.count - front >= PacketSync.decisionByteCount + PacketSync.timeCodeByteCount
        else { return nil }
        let hasTags = front > 0
        for start in [front, front + 4] where PacketSync.stride(bytes, at: start, preferring: 188) != nil {
            return .transportStream
        }
        if isAudioFrame(bytes, at: front) { return .packedAudio }
        let window = bytes.extracting(0..<min(bytes.count, front + searchByteCount))
        switch PacketSync.search(
            window, from: 0, isEnd: isEnd && window.count == bytes.count, preferring: 188)
        {
        case .found: return .transportStream
        case .undecided:
            guard isEnd || bytes.count >= front + searchByteCount else { return nil }
            return hasTags ? .packedAudio : .unknown
        }
    }

    /// Returns the end of the leading ID3 tags, or nil if more bytes are needed.
    private static func endOfTags(_ bytes: Span<UInt8>, isEnd: Bool, limit: Int) -> Int? {
        var position = 0
        while position < bytes.count {
            switch TagExtent.measure(bytes, position..<bytes.count) {
            case .none: return position
            case .beginning: return isEnd ? position : nil
            case .tag(let byteCount):
                guard byteCount <= limit - position else { return position }
                guard byteCount <= bytes.count - position else { return isEnd ? position : nil }
                position += byteCount
            }
        }
        return isEnd ? position : nil
    }

    /// Returns whether `bytes` starts with a box that can begin a segment (ISO/IEC 14496-12, 4.2 and 8.16).
    private static func isBox(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return false }
        let types: [StaticString] = [
            "ftyp", "styp", "moov", "moof", "sidx", "ssix", "emsg", "prft", "mdat", "free", "skip", "uuid",
            "pssh",
            "mfra", "meta", "wide", "imda",
        ]
        return types.contains { bytes.hasASCII($0, at: 4) }
    }

    /// Returns whether an audio frame starts at `offset`: AAC in ADTS, MPEG audio, AC-3 or E-AC-3.
    private static func isAudioFrame(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard bytes.count - offset >= 2 else { return false }
        let sync = bytes.bigEndianUInt16(at: offset)
        return sync & 0xFFE0 == 0xFFE0 && sync != 0xFFFF || sync == 0x0B77
    }
}
