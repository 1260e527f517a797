import HLSPlaylist
import HTTPTransfer
import LibAVDemux
import SegmentDemux
import Synchronization
import TextForms

/// Reads the bytes of a segment from any location into a filter or the demuxer.
///
/// A file is read in pieces, and irrelevant bytes are skipped. A network resource is processed in the pieces in which
/// it arrives. Neither is ever held in full.
struct ResourceReader: Sendable {
    var fetcher: ResourceFetcher
    var keys: KeyRing
    let buffers: ReadBuffers
    /// The addresses to which requests may go.
    var policy: AddressPolicy

    /// Creates a reader with its own keys and buffers, or with those of other readers.
    init(
        fetcher: ResourceFetcher, keys: KeyRing? = nil, buffers: ReadBuffers = ReadBuffers(),
        policy: AddressPolicy
    ) {
        self.fetcher = fetcher
        self.keys = keys ?? KeyRing(fetcher: fetcher)
        self.buffers = buffers
        self.policy = policy
    }

    /// Reads a resource or its byte range to the end, or until the receiver gives up.
    ///
    /// - Returns: The bytes read, and the error that stopped reading, if any.
    func read<Taker: SegmentByteTaker & ~Copyable>(
        _ resource: Resource, into taker: inout Taker
    ) async -> (read: ReadBytes, failure: InputError?) {
        let decryptor: SegmentDecryptor?
        do throws(InputError) {
            decryptor = try await self.decryptor(for: resource)
        } catch {
            return (ReadBytes(), error)
        }
        let limit = resource.isUnlimited ? UInt64.max : fetcher.limits.maximumSegmentByteCount
        var sink = SegmentSink(
            name: resource.name, maximumByteCount: limit, decryptor: decryptor, meter: fetcher.meter)
        do throws(InputError) {
            try await read(resource, through: &sink, into: &taker)
            try sink.finish(&taker)
            return (sink.read, nil)
        } catch {
            return (sink.read, error)
        }
    }

    private func read<Taker: SegmentByteTaker & ~Copyable>(
        _ resource: Resource, through sink: inout SegmentSink, into taker: inout Taker
    ) async throws(InputError) {
        switch resource.address {
        case .path(let path):
            let file = try resource.isUnlimited ? InputFile(named: path) : InputFile(regularFileAt: path)
            if let range = resource.byteRange { try file.seek(to: UInt64(range.offset)) }
            let length = resource.byteRange.map { UInt64($0.length) }
            try feed(file, length: length, through: &sink, into: &taker)
        case .data(let uri):
            let content = try ResourceFetcher.content(ofDataURI: uri)
            let range = resource.byteRange.map { $0.offset..<$0.end } ?? 0..<content.count
            guard range.upperBound <= content.count else { throw .truncatedByteRange(resource.name) }
            try sink.feed(content.span.extracting(range), to: &taker)
        case .memory(let bytes): try sink.feed(bytes.span, to: &taker)
        case .standardInput: throw .unreadable(resource.name, reason: "can be read only once")
        case .network(let url):
            var body = try await ResourceBody(
                url, range: resource.byteRange, policy: policy, fetcher: fetcher)
            while try await body.next({ (bytes) throws(InputError) in try sink.feed(bytes, to: &taker) }) {}
            if body.isTruncated { throw .truncatedByteRange(resource.name) }
        }
    }

    private func feed<Taker: SegmentByteTaker & ~Copyable>(
        _ file: borrowing InputFile, length: UInt64?, through sink: inout SegmentSink, into taker: inout Taker
    ) throws(InputError) {
        var buffer = buffers.borrow()
        defer { buffers.returnBuffer(buffer) }
        try sink.feed(file, length: length, through: &buffer, to: &taker)
    }

    private func decryptor(for resource: Resource) async throws(InputError) -> SegmentDecryptor? {
        guard let encryption = resource.encryption else { return nil }
        guard let keyAddress = encryption.keyAddress else {
            throw .encrypted(resource.name, method: encryption.method)
        }
        let key = try await keys.key(at: keyAddress, policy: policy)
        do throws(DecryptionError) {
            return try SegmentDecryptor(key: key, iv: encryption.initializationVector)
        } catch {
            throw .undecipherable(resource.name, reason: error.reason)
        }
    }
}

/// A pool of read buffers, which grows to one buffer per concurrent reader.
final class ReadBuffers: Sendable {
    private let free = Mutex<[[UInt8]]>([])

    func borrow() -> [UInt8] {
        free.withLock { $0.popLast() } ?? [UInt8](repeating: 0, count: InputFile.pieceByteCount)
    }

    func returnBuffer(_ buffer: consuming [UInt8]) {
        let buffer = buffer
        free.withLock { $0.append(buffer) }
    }
}

extension DecryptionError {
    /// A description of the error for messages.
    var reason: String {
        switch self {
        case .unsupportedMethod(let method): "the method \(method) is not supported"
        case .keyLength(let count): "its key has \(DecimalText.count(count, "byte")), not 16"
        case .initializationVectorLength(let count):
            "its initialization vector has \(DecimalText.count(count, "byte")), not 16"
        case .segmentLength(let offset):
            "it ends after \(DecimalText.count(offset, "byte")), which is not a multiple of 16"
        case .padding:
            "the padding at its end is invalid: the key is wrong, or the segment is truncated"
        case .missingLibrary: "libavutil is not installed"
        case .allocation: "out of memory"
        }
    }
}
