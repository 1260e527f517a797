import SegmentDemux

/// The last step before the demuxer: undoes encryption, counts, and names the segment in errors.
struct DemuxSink: ~Copyable {
    private let name: String
    private var decryptor: SegmentDecryptor?
    private var fed = SegmentSource.Fed()

    init(name: String, decryptor: consuming SegmentDecryptor?) {
        self.name = name
        self.decryptor = decryptor
    }

    private var isEncrypted: Bool {
        switch decryptor {
        case .some: true
        case nil: false
        }
    }

    /// Reads a file to its end, or `length` bytes of it, passing over what the demuxer does not need.
    mutating func feed(
        _ file: borrowing LocalFile, length: UInt64?, through buffer: inout [UInt8],
        to demuxer: inout SegmentDemuxer
    ) throws(InputError) {
        var rest = length ?? .max
        while rest > 0 {
            let count = try file.read(into: &buffer, limit: Int(clamping: rest))
            if count == 0 {
                if length != nil { throw .cutByteRange(name) }
                return
            }
            rest -= UInt64(count)
            try feed(buffer.span.extracting(0..<count), to: &demuxer)
            let skippable = isEncrypted ? 0 : min(demuxer.skippableByteCount, rest)
            // A short distance is read faster than it is sought.
            if skippable > UInt64(buffer.count) {
                let skipped = file.skip(upTo: skippable)
                demuxer.skip(skipped)
                fed.byteCount += skipped
                fed.skippedByteCount += skipped
                rest -= skipped
            }
        }
    }

    /// Hands bytes on.
    mutating func feed(_ bytes: Span<UInt8>, to demuxer: inout SegmentDemuxer) throws(InputError) {
        fed.note(bytes)
        if isEncrypted {
            let name = name
            try decryptor?.update(bytes) { (plain) throws(InputError) in
                try Self.feed(plain, of: name, to: &demuxer)
            }
        } else {
            try Self.feed(bytes, of: name, to: &demuxer)
        }
    }

    private static func feed(
        _ bytes: Span<UInt8>, of name: String, to demuxer: inout SegmentDemuxer
    ) throws(InputError) {
        do throws(DemuxError) {
            try demuxer.feed(bytes)
        } catch {
            throw .demuxing(name, error)
        }
    }

    /// Ends the resource.
    mutating func finish(_ demuxer: inout SegmentDemuxer) throws(InputError) -> SegmentSource.Fed {
        guard isEncrypted else { return fed }
        var rest: [UInt8] = []
        do throws(DecryptionError) {
            rest = try decryptor?.finish() ?? []
        } catch {
            throw .undecipherable(name, reason: error.reason)
        }
        try Self.feed(rest.span, of: name, to: &demuxer)
        return fed
    }
}

extension InputError {
    /// The demuxer has no room to work.
    static func demuxing(_ name: String, _ error: DemuxError) -> InputError {
        .demuxing(name, reason: "libavformat: \(error)")
    }
}
