import HTTPTransfer
import SegmentDemux

/// Brings the bytes of a media segment to the demuxer, from wherever they are.
///
/// A local file is read in pieces into one buffer, and what the demuxer has no use for is passed over by
/// seeking. A resource of the network goes through in the pieces in which it arrives. Neither is ever held whole.
final class SegmentSource {
    private let fetcher: ResourceFetcher
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var keys: [InputAddress: [UInt8]] = [:]

    /// At most so many keys are kept; of a playlist that names more, some are fetched again.
    private static let maximumKeptKeyCount = 64

    init(fetcher: ResourceFetcher) { self.fetcher = fetcher }

    /// What was fed to the demuxer: how many bytes, and the first of them.
    struct Fed: Sendable {
        static let frontByteCount = 64
        /// The bytes of the resource, those that were passed over included.
        var byteCount: UInt64 = 0
        /// The bytes that were not read, because the demuxer had no use for them.
        var skippedByteCount: UInt64 = 0
        var front: [UInt8] = []

        /// Counts bytes, and keeps the first of all.
        mutating func note(_ bytes: Span<UInt8>) {
            if front.count < Self.frontByteCount {
                let wanted = min(Self.frontByteCount - front.count, bytes.count)
                for index in 0..<wanted { front.append(bytes[index]) }
            }
            byteCount += UInt64(bytes.count)
        }
    }

    /// Feeds a resource, or a part of it, to the demuxer.
    func feed(
        _ resource: Resource, policy: AddressPolicy, to demuxer: inout SegmentDemuxer
    ) async throws(InputError) -> Fed {
        var sink = DemuxSink(
            name: resource.name, decryptor: try await decryptor(for: resource, policy: policy))
        if let readAhead = resource.readAhead {
            let front = readAhead.front
            try sink.feed(front.span, to: &demuxer)
            try sink.feed(readAhead.file, length: nil, through: &buffer, to: &demuxer)
            return try sink.finish(&demuxer)
        }
        switch resource.address {
        case .path(let path):
            let file = try LocalFile(path: path)
            if let range = resource.byteRange { try file.seek(to: range.offset) }
            try sink.feed(
                file, length: resource.byteRange?.length, through: &buffer, to: &demuxer)
        case .standardInput: throw .unreadable(resource.name, reason: "is read once only")
        case .network(let url):
            var body = try await SegmentBody(
                url, range: resource.byteRange, policy: policy, fetcher: fetcher)
            while try await body.next({ (bytes) throws(InputError) in try sink.feed(bytes, to: &demuxer) }) {}
            if body.isCut { throw .cutByteRange(resource.name) }
        }
        return try sink.finish(&demuxer)
    }

    /// One resource that goes to the demuxer: a segment, or a media initialisation section.
    struct Resource: Sendable {
        let name: String
        let address: InputAddress
        let byteRange: Programme.ByteRange?
        let encryption: Programme.Encryption?
        let readAhead: ReadAhead?

        init(_ segment: Programme.Segment) {
            name = segment.displayName
            address = segment.address
            byteRange = segment.byteRange
            encryption = segment.encryption
            readAhead = segment.readAhead
        }

        init(_ section: Programme.Initialization) {
            name = section.address.text
            address = section.address
            byteRange = section.byteRange
            encryption = section.encryption
            readAhead = nil
        }
    }

    private func decryptor(
        for resource: Resource, policy: AddressPolicy
    ) async throws(InputError) -> SegmentDecryptor? {
        guard let encryption = resource.encryption else { return nil }
        guard let keyAddress = encryption.keyAddress else {
            throw .encrypted(resource.name, method: encryption.method)
        }
        let key: [UInt8]
        if let kept = keys[keyAddress] {
            key = kept
        } else {
            key = try await fetcher.bytes(at: keyAddress, policy: policy, limit: 4_096)
            if keys.count >= Self.maximumKeptKeyCount { keys.removeAll() }
            keys[keyAddress] = key
        }
        do throws(DecryptionError) {
            return try SegmentDecryptor(key: key, iv: encryption.initializationVector)
        } catch {
            throw .undecipherable(resource.name, reason: error.reason)
        }
    }
}

extension InputError {
    /// The resource ends before the byte range that is wanted of it.
    static func cutByteRange(_ name: String) -> InputError {
        .unreadable(name, reason: "ends before its byte range does")
    }
}

extension DecryptionError {
    /// What is wrong, for a person.
    var reason: String {
        switch self {
        case .unsupportedMethod(let method): "the method \(method) is not read"
        case .keyLength(let count): "its key has \(count) bytes, not 16"
        case .initializationVectorLength(let count): "its initialisation vector has \(count) bytes, not 16"
        case .segmentLength(let offset): "it ends after \(offset) bytes, which is no multiple of 16"
        case .padding: "the padding at its end is wrong, so the key is wrong or the segment is cut"
        case .allocation: "there is no memory for the cipher"
        }
    }
}
