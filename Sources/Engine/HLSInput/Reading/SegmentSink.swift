import SegmentDemux

/// What takes the bytes of a segment: a filter, on any thread, or the demuxer, in the segment's turn.
protocol SegmentByteTaker: ~Copyable {
    /// Takes bytes of the segment, in chunks of any size.
    mutating func feed(_ chunk: Span<UInt8>) throws(DemuxError)
    /// How many of the bytes that come next need not be fed.
    var skippableByteCount: UInt64 { get }
    /// Says that so many bytes, at most `skippableByteCount`, were skipped.
    mutating func skip(_ count: UInt64)
    /// Whether it does not matter what else is fed.
    var hasGivenUp: Bool { get }
}

extension SegmentFilter: SegmentByteTaker {
    var hasGivenUp: Bool { mustBeReadInOrder }
}

extension SegmentDemuxer: SegmentByteTaker {
    var hasGivenUp: Bool { false }
}

/// The last step before a filter or the demuxer: undoes encryption, counts, and holds a segment to its limit.
struct SegmentSink: ~Copyable {
    private let name: String
    private let maximumByteCount: UInt64
    private var decryptor: SegmentDecryptor?
    /// What was read so far.
    private(set) var read = ReadBytes()

    init(name: String, maximumByteCount: UInt64, decryptor: consuming SegmentDecryptor?) {
        self.name = name
        self.maximumByteCount = maximumByteCount
        self.decryptor = decryptor
    }

    private var isEncrypted: Bool {
        switch decryptor {
        case .some: true
        case nil: false
        }
    }

    /// Reads a file to its end, or `length` bytes of it, skipping what does not matter.
    mutating func feed<Taker: SegmentByteTaker & ~Copyable>(
        _ file: borrowing InputFile, length: UInt64?, through buffer: inout [UInt8], to taker: inout Taker
    ) throws(InputError) {
        var rest = length ?? .max
        while rest > 0, !taker.hasGivenUp {
            let count = try file.read(into: &buffer, maximumByteCount: Int(clamping: rest))
            if count == 0 {
                if length != nil { throw .truncatedByteRange(name) }
                return
            }
            rest -= UInt64(count)
            try feed(buffer.span.extracting(0..<count), to: &taker)
            let skippable = isEncrypted ? 0 : min(taker.skippableByteCount, rest)
            // A short distance is read faster than it is sought.
            if skippable > UInt64(buffer.count) {
                let skipped = try file.skip(skippable)
                taker.skip(skipped)
                read.skip(skipped)
                rest -= skipped
            }
        }
    }

    /// Hands bytes on.
    mutating func feed<Taker: SegmentByteTaker & ~Copyable>(
        _ bytes: Span<UInt8>, to taker: inout Taker
    ) throws(InputError) {
        let room = maximumByteCount > read.byteCount ? maximumByteCount - read.byteCount : 0
        if UInt64(bytes.count) > room {
            // What is in front of the limit may hold tags.
            try feedWithinLimit(bytes.extracting(first: Int(room)), to: &taker)
            throw .tooLarge(name, maximumByteCount: maximumByteCount)
        }
        try feedWithinLimit(bytes, to: &taker)
    }

    private mutating func feedWithinLimit<Taker: SegmentByteTaker & ~Copyable>(
        _ bytes: Span<UInt8>, to taker: inout Taker
    ) throws(InputError) {
        read.add(bytes)
        if isEncrypted {
            let name = name
            try decryptor?.update(bytes) { (plain) throws(InputError) in
                try Self.feed(plain, of: name, to: &taker)
            }
        } else {
            try Self.feed(bytes, of: name, to: &taker)
        }
    }

    private static func feed<Taker: SegmentByteTaker & ~Copyable>(
        _ bytes: Span<UInt8>, of name: String, to taker: inout Taker
    ) throws(InputError) {
        do throws(DemuxError) {
            try taker.feed(bytes)
        } catch {
            throw .demuxing(name, error)
        }
    }

    /// Ends the resource.
    mutating func finish<Taker: SegmentByteTaker & ~Copyable>(_ taker: inout Taker) throws(InputError) {
        guard isEncrypted else { return }
        var rest: [UInt8] = []
        do throws(DecryptionError) {
            rest = try decryptor?.finish() ?? []
        } catch {
            throw .undecipherable(name, reason: error.reason)
        }
        try Self.feed(rest.span, of: name, to: &taker)
    }
}

extension InputError {
    /// The demuxer has no room to work.
    static func demuxing(_ name: String, _ error: DemuxError) -> InputError {
        .demuxing(name, reason: "libavformat: \(error)")
    }

    /// The resource ends before the byte range that is wanted of it.
    static func truncatedByteRange(_ name: String) -> InputError {
        .unreadable(name, reason: "ends before its byte range does")
    }
}
