import ByteReading

/// Tells by a segment's first bytes what container it is, whatever its name.
struct ContainerProbe {
    enum Answer: Hashable {
        case transportStream
        case fragmentedMP4
        case packedAudio
        case unknown
    }

    /// How far tags at the front are followed, in bytes.
    let limit: Int

    /// Whether the bytes turned out to be of no known container.
    var isUnknown = false

    private var bytes: [UInt8] = []

    /// How many bytes must be there before they are examined again.
    private var nextByteCount = 0

    /// How many bytes were examined for the decision, counted again each time.
    private(set) var examinedByteCount = 0

    /// How far garbage is searched for transport packets.
    static let searchByteCount = 64 << 10

    init(limit: Int = DemuxLimits().maximumFrontByteCount) { self.limit = limit }

    var isEmpty: Bool { bytes.isEmpty }

    /// How many bytes are kept for the decision.
    var byteCount: Int { bytes.count }

    mutating func append(_ chunk: Span<UInt8>) {
        bytes.append(chunk)
    }

    /// Takes out the bytes that were kept for the decision.
    mutating func drainBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// The container; nil while more bytes can still tell.
    ///
    /// Bytes that could not be decided on are examined again when there are twice as many, or at the end. So all
    /// examinations together cost a few times the last one, however small the chunks are.
    mutating func decide(isEnd: Bool) -> Answer? {
        guard isEnd || bytes.count >= nextByteCount else { return nil }
        nextByteCount = 2 * bytes.count
        examinedByteCount += bytes.count
        return Self.decide(bytes.span, isEnd: isEnd, limit: limit)
    }

    /// The container of a segment that begins with `bytes`; nil while more bytes can still tell.
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

    /// Where the ID3 tags at the front end; nil while more bytes are needed to tell.
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

    /// Whether a box begins here that a segment can begin with (ISO/IEC 14496-12, 4.2 and 8.16).
    private static func isBox(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 8 else { return false }
        let types: [StaticString] = [
            "ftyp", "styp", "moov", "moof", "sidx", "ssix", "emsg", "prft", "mdat", "free", "skip", "uuid",
            "pssh",
            "mfra", "meta", "wide", "imda",
        ]
        return types.contains { bytes.hasASCII($0, at: 4) }
    }

    /// Whether an audio frame begins here: AAC in ADTS, MPEG audio, AC-3 or E-AC-3.
    private static func isAudioFrame(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard bytes.count - offset >= 2 else { return false }
        let sync = bytes.bigEndianUInt16(at: offset)
        return sync & 0xFFE0 == 0xFFE0 && sync != 0xFFFF || sync == 0x0B77
    }
}
