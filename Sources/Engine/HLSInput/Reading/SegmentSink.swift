import LibAVDemux
import SegmentDemux

/// A receiver of segment bytes: a filter on any thread, or the demuxer in segment order.
protocol SegmentByteTaker: ~Copyable {
    /// Reads the next bytes of the segment, in a chunk of any size.
    mutating func feed(_ chunk: Span<UInt8>) throws(DemuxError)
    /// The number of upcoming bytes that may be skipped.
    var skippableByteCount: UInt64 { get }
    /// Skips `count` bytes, at most `skippableByteCount`.
    mutating func skip(_ count: UInt64)
    /// Whether further input has no effect.
    var hasGivenUp: Bool { get }
}

extension SegmentFilter: SegmentByteTaker {
    var hasGivenUp: Bool { mustBeReadInOrder }
}

extension SegmentDemuxer: SegmentByteTaker {
    var hasGivenUp: Bool { false }
}

/// Decrypts and counts the bytes of a segment before a filter or the demuxer, and enforces its size limit.
struct SegmentSink: ~Copyable {
    let name: String
    private let maximumByteCount: UInt64
    private var decryptor: SegmentDecryptor?
    private let meter: ByteMeter?
    /// The bytes read so far.
    private(set) var read = ReadBytes()

    init(
        name: String, maximumByteCount: UInt64, decryptor: consuming SegmentDecryptor?,
        meter: ByteMeter? = nil
    ) {
        self.meter = meter
        self.name = name
        self.maximumByteCount = maximumByteCount
        self.decryptor = decryptor
    }

    /// Returns the bytes read since the last call.
    mutating func removeReadBytes() -> ReadBytes {
        defer { read = ReadBytes() }
        return read
    }

    private var isEncrypted: Bool {
        switch decryptor {
        case .some: true
        case nil: false
        }
    }

    /// Reads a file to its end, or `length` bytes of it, skipping irrelevant bytes.
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
            // Over short distances, reading is faster than seeking.
            if skippable > UInt64(buffer.count) {
                let skipped = try file.skip(skippable)
                taker.skip(skipped)
                read.skip(skipped)
                meter?.add(Int(clamping: skipped))
                rest -= skipped
            }
        }
    }

    /// Processes bytes and passes them to the receiver.
    mutating func feed<Taker: SegmentByteTaker & ~Copyable>(
        _ bytes: Span<UInt8>, to taker: inout Taker
    ) throws(InputError) {
        let room = maximumByteCount > read.byteCount ? maximumByteCount - read.byteCount : 0
        if UInt64(bytes.count) > room {
            // The bytes below the limit may contain tags.
            try feedWithinLimit(bytes.extracting(first: Int(room)), to: &taker)
            throw .tooLarge(name, maximumByteCount: maximumByteCount)
        }
        try feedWithinLimit(bytes, to: &taker)
    }

    private mutating func feedWithinLimit<Taker: SegmentByteTaker & ~Copyable>(
        _ bytes: Span<UInt8>, to taker: inout Taker
    ) throws(InputError) {
        read.add(bytes)
        meter?.add(bytes.count)
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

    /// Ends the resource and passes on the last decrypted bytes.
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
    /// Returns the error for a libavformat failure.
    static func demuxing(_ name: String, _ error: DemuxError) -> InputError {
        if case .libavformat(_, .load, _) = error {
            .demuxing(name, reason: "libavformat is not installed, or has another version than at the build")
        } else {
            .demuxing(name, reason: "libavformat: \(error)")
        }
    }

    /// Returns the error for a resource that ends before its byte range is complete.
    static func truncatedByteRange(_ name: String) -> InputError {
        .unreadable(name, reason: "ends before the end of its byte range")
    }
}
