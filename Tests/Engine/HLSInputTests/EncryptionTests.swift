import CDTVRCrypto
import ID3v2
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

/// Segments in AES-128 (RFC 8216, 4.3.2.4), encrypted by libcrypto, and other contents of EXT-X-KEY.
@Suite(.timeLimit(.minutes(30))) struct EncryptionTests {
    private static let key: [UInt8] = Array(0x30...0x3F)
    private static let vector: [UInt8] = Array(0xA0...0xAF)
    private static let vectorText = "0xA0A1A2A3A4A5A6A7A8A9AAABACADAEAF"

    /// Encrypts bytes with AES-128, CBC and PKCS7.
    static func encrypt(_ bytes: [UInt8], key: [UInt8] = Array(0x30...0x3F), vector: [UInt8]) throws
        -> [UInt8]
    {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw NoCipher() }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var encrypted = [UInt8](repeating: 0, count: bytes.count + 16)
        var count: Int32 = 0
        var lastCount: Int32 = 0
        // Key and vector have 16 bytes each; the output has room for one block more than the input.
        let isDone = unsafe encrypted.withUnsafeMutableBufferPointer { output in
            unsafe EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1
                && EVP_EncryptUpdate(context, output.baseAddress, &count, bytes, Int32(bytes.count)) == 1
                && EVP_EncryptFinal_ex(context, output.baseAddress.map { unsafe $0 + Int(count) }, &lastCount)
                    == 1
        }
        guard isDone else { throw NoCipher() }
        return Array(encrypted.prefix(Int(count + lastCount)))
    }

    private struct NoCipher: Error {}

    /// Returns the vector of a segment whose key does not state one.
    private static func vector(mediaSequence: UInt8) -> [UInt8] {
        [UInt8](repeating: 0, count: 15) + [mediaSequence]
    }

    /// Returns a folder with the stream's segments, each changed by a closure, and a playlist that states a key.
    private static func folder(
        keyLine: String, stream: SyntheticStream, key: [UInt8]? = key,
        _ change: (Int, [UInt8]) throws -> [UInt8]
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for index in stream.segmentNames.indices {
            try folder.write(stream.segmentNames[index], change(index, stream[index]))
        }
        if let key { try folder.write("key.bin", key) }
        try folder.write("index.m3u8", stream.playlist(header: ["#EXT-X-MEDIA-SEQUENCE:7", keyLine]))
        return folder
    }

    @Test func key_byPath_withAnIV_decryptsAllSegments() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try Self.folder(
            keyLine: "#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\",IV=\(Self.vectorText)", stream: stream
        ) { try Self.encrypt($1, vector: Self.vector) }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
    }

    @Test func key_withoutAnIV_usesTheMediaSequenceNumber() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try Self.folder(
            keyLine: "#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\"", stream: stream
        ) { try Self.encrypt($1, vector: Self.vector(mediaSequence: UInt8($0 + 7))) }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
    }

    @Test func key_byURL_isFetchedOnceForAllSegments() async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try LoopbackServer(serving: ["/k?id=1": ServedResource(Self.key)])
        defer { server.stop() }
        let folder = try Self.folder(
            keyLine: "#EXT-X-KEY:METHOD=AES-128,URI=\"\(server.base)/k?id=1\",IV=\(Self.vectorText)",
            stream: stream
        ) { try Self.encrypt($1, vector: Self.vector) }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(server.requests.count == 1)
    }

    @Test func key_thatIsWrong_makesSegmentsUndecipherable() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try Self.folder(
            keyLine: "#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\",IV=\(Self.vectorText)", stream: stream,
            key: Array(0x40...0x4F)
        ) { try Self.encrypt($1, vector: Self.vector) }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners.isEmpty)
        #expect(reading.failures.map(\.index) == [0, 1, 2, 3, 4])
        for (_, error) in reading.failures {
            guard case .undecipherable = error else {
                Issue.record("\(error)")
                continue
            }
        }
    }

    @Test func key_thatCannotBeFetched_isRequestedOnce() async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try LoopbackServer(serving: [:])
        defer { server.stop() }
        let folder = try Self.folder(
            keyLine: "#EXT-X-KEY:METHOD=AES-128,URI=\"\(server.base)/gone\"", stream: stream
        ) { $1 }
        let reading = try await InputReading(folder.path + "/index.m3u8", jobs: 3)
        #expect(reading.failures.count == 5)
        #expect(Set(reading.failures.map(\.error.message)).count == 1)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [0, 15, 17, 4_096]) func key_ofAnotherLength_isReportedWithItsLength(count: Int)
        async throws
    {
        let stream = try SyntheticStream.transport.get()
        let folder = try Self.folder(
            keyLine: "#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\"", stream: stream,
            key: [UInt8](repeating: 1, count: count)
        ) { $1 }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.failures.count == 5)
        #expect(reading.failures.first?.error.message.contains("\(count) bytes, not 16") == true)
    }

    @Test func missingKey_isNamed_andUnencryptedSegmentsAreRead() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let playlist = stream.playlist(before: { index in
            switch index {
            case 1: ["#EXT-X-KEY:METHOD=AES-128,URI=\"gone.bin\""]
            case 2: ["#EXT-X-KEY:METHOD=NONE"]
            default: []
            }
        })
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(reading.readSegments == [0, 2, 3, 4])
        #expect(reading.failures.first?.error.message.contains("gone.bin") == true)
        #expect(Set(reading.owners) == Set(stream.owners(inSegments: [0, 2, 3, 4])))
    }

    @Test func ciphertext_truncatedInABlock_yieldsTheTagsBefore() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try Self.folder(
            keyLine: "#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\",IV=\(Self.vectorText)", stream: stream
        ) { index, bytes in
            let encrypted = try Self.encrypt(bytes, vector: Self.vector)
            return index == 0 ? Array(encrypted.dropLast(5)) : encrypted
        }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.readSegments == [1, 2, 3, 4])
        #expect(reading.failures.first?.error.message.contains("not a multiple of 16") == true)
    }

    /// Sample encryption leaves the container and the tags in it unencrypted.
    @Test(arguments: ["SAMPLE-AES", "SAMPLE-AES-CTR"])
    func sampleEncryption_leavesTagsReadable_andIsNoted(method: String) async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try Self.folder(
            keyLine:
                "#EXT-X-KEY:METHOD=\(method),URI=\"skd://key\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
            stream: stream
        ) { $1 }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.notes.count == 1 && reading.notes.first?.contains(method) == true)
    }

    @Test(arguments: [
        ("METHOD=ROT-13,URI=\"key.bin\"", "ROT-13"),
        ("METHOD=AES-128,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"", "AES-128 (com.apple"),
    ])
    func unsupportedMethod_isNamed_andUnencryptedSegmentsAreRead(attributes: String, name: String)
        async throws
    {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let playlist = stream.playlist(before: { $0 == 4 ? ["#EXT-X-KEY:\(attributes)"] : [] })
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(reading.readSegments == [0, 1, 2, 3])
        guard case .encrypted(_, let method) = reading.failures.first?.error else {
            Issue.record("\(reading.failures)")
            return
        }
        #expect(method.hasPrefix(name))
    }

    /// An initialization segment whose key states no vector uses that of the first segment that needs it.
    @Test func initializationSegment_encrypted_isReadOnce() async throws {
        let stream = try SyntheticStream.fragmented.get()
        var site: [String: ServedResource] = ["/key.bin": ServedResource(Self.key)]
        for index in stream.segmentNames.indices {
            let encrypted = try Self.encrypt(stream[index], vector: Self.vector(mediaSequence: UInt8(index)))
            site["/" + stream.segmentNames[index]] = ServedResource(encrypted)
        }
        let section = try Self.encrypt(stream.files["init.mp4"] ?? [], vector: Self.vector(mediaSequence: 0))
        site["/init.mp4"] = ServedResource(section)
        let header = ["#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\"", "#EXT-X-MAP:URI=\"init.mp4\""]
        site["/index.m3u8"] = ServedResource(stream.playlist(header: header))
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.readSegments == [0, 1, 2, 3, 4])
        #expect(reading.owners == stream.owners)
        #expect(server.requests.filter { $0.target == "/init.mp4" }.count == 1)
        for reading in reading.readings {
            guard case .read(_, let facts) = reading.outcome else { continue }
            #expect(facts.earliestMediaTime != nil)
        }
    }
}
