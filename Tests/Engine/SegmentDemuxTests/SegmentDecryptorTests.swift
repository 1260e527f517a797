import LibAVDemux
import Testing

@testable import SegmentDemux

/// Vectors of OpenSSL 3: byte i of the plain text is i, made by
/// `python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(N)))' | openssl enc -aes-128-cbc
/// -K 000102030405060708090a0b0c0d0e0f -iv f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff | xxd -p`.
@Suite struct SegmentDecryptorTests {
    static let vectors: [Int: String] = [
        0: "d02a48244eccdc2379224dbc54703612",
        1: "efd604572892d76c3598051ba13d93f5",
        15: "e99f0216caca11e7aeb88ae7756fb05e",
        16: "753d5eacf88ed4c2c30496112e5f222172b232a47c78f178b4d91c89732271f5",
        17: "753d5eacf88ed4c2c30496112e5f2221dd8812ef0b249aa162156495126ad92d",
        33: "753d5eacf88ed4c2c30496112e5f2221380449120c43e61d91c66cae5065cdad"
            + "9a6cb4000041cdb1079f45a1b25eae34",
        48: "753d5eacf88ed4c2c30496112e5f2221380449120c43e61d91c66cae5065cdad"
            + "a92a5c417f7993023b11fdc5780e1efb237b8d2d321fd33bc94d2aaa7bbfda3e",
    ]

    private static let key = (0..<16).map { UInt8($0) }
    private static let vector = (0..<16).map { UInt8(0xF0 + $0) }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.count, by: 2).compactMap { index in
            let start = hexadecimal.index(hexadecimal.startIndex, offsetBy: index)
            return UInt8(hexadecimal[start..<hexadecimal.index(start, offsetBy: 2)], radix: 16)
        }
    }

    private func decrypt(
        _ encrypted: [UInt8], chunk: Int, key: [UInt8] = SegmentDecryptorTests.key
    ) throws -> [UInt8] {
        var decryptor = try SegmentDecryptor(key: key, iv: Self.vector)
        var plain: [UInt8] = []
        var position = 0
        while position < encrypted.count {
            let end = min(position + chunk, encrypted.count)
            decryptor.update(encrypted.span.extracting(position..<end)) { span in
                for index in span.indices { plain.append(span[index]) }
            }
            position = end
        }
        return plain + (try decryptor.finish())
    }

    /// Plain texts of 0 to 48 bytes: byte i is i.
    @Test(arguments: vectors)
    func segment_inChunksOfEverySize_isDecrypted(count: Int, encrypted: String) throws {
        let encrypted = Self.bytes(encrypted)
        for chunk in 1...max(encrypted.count, 1) {
            #expect(try decrypt(encrypted, chunk: chunk) == (0..<count).map { UInt8($0) })
        }
    }

    @Test func length_notAMultipleOf16_isAnError() throws {
        let encrypted = Self.bytes(try #require(Self.vectors[33]))
        for count in 0..<encrypted.count where count % 16 != 0 || count == 0 {
            #expect(throws: DecryptionError.segmentLength(offset: UInt64(count))) {
                try decrypt(Array(encrypted[..<count]), chunk: 7)
            }
        }
    }

    @Test func padding_afterAWrongKeyOrTruncation_isAnError() throws {
        let encrypted = Self.bytes(try #require(Self.vectors[33]))
        #expect(throws: DecryptionError.padding(offset: 32)) {
            try decrypt(encrypted, chunk: 7, key: Self.vector)
        }
        #expect(throws: DecryptionError.padding(offset: 16)) {
            try decrypt(Array(encrypted[..<32]), chunk: 7)
        }
    }

    /// One block each, encrypted with `-nopad`: 7 fourteen times, 1, 2; 0 and fifteen 16s; 9 twelve times, 5, 4, 4, 4;
    /// 1 fifteen times and 0; sixteen 17s.
    @Test(arguments: [
        "f7e304e77405ad7a51639eb16413b99c", "e8713a980c969da57cc8eca756d072f7",
        "db851438e987ca73c0aabde792b184e7", "18510e10edc1d42fd2b6d1228d70eb0d",
        "fcf6a5a342707f8087acd2bc99799689",
    ])
    func padding_withAWrongByte_isAnError(encrypted: String) throws {
        #expect(throws: DecryptionError.padding(offset: 0)) {
            try decrypt(Self.bytes(encrypted), chunk: 16)
        }
    }

    @Test func keyAndIV_ofOtherLengths_areErrors() {
        for count in 0...33 where count != 16 {
            let bytes = [UInt8](repeating: 0, count: count)
            #expect(throws: DecryptionError.keyLength(count)) {
                _ = try SegmentDecryptor(key: bytes, iv: Self.vector).isEmpty
            }
            #expect(throws: DecryptionError.initializationVectorLength(count)) {
                _ = try SegmentDecryptor(key: Self.key, iv: bytes).isEmpty
            }
        }
    }

    @Test func method_otherThanAES128_isAnError() {
        #expect(throws: DecryptionError.unsupportedMethod("SAMPLE-AES")) {
            _ = try SegmentDecryptor(method: "SAMPLE-AES", key: Self.key, iv: Self.vector).isEmpty
        }
        #expect(throws: Never.self) {
            _ = try SegmentDecryptor(method: "AES-128", key: Self.key, iv: Self.vector).isEmpty
        }
    }
}

extension SegmentDecryptor {
    fileprivate var isEmpty: Bool { false }
}
