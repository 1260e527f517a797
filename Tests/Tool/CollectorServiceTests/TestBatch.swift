import ByteReading
import Foundation
import HTTPTransfer
import TestSupport

@testable import CollectorService

extension TemporaryFolder {
    /// Returns the lines of all files in the folder whose names have a prefix.
    func lines(_ prefix: String = "tags-") throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix(prefix) }
        return try names.sorted().flatMap { name in
            try String(contentsOfFile: path + "/" + name, encoding: .utf8).split(separator: "\n").map(
                String.init)
        }
    }
}

enum TestBatch {
    static let store = "00112233445566778899aabbccddeeff"

    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    static func line(_ number: Int) -> String {
        #"{"id":"\#(id(number))","received":"2026-11-20T12:00:00.000Z","owner":"www.nielsen.com/\#(number)"}"#
    }

    static func header(_ batch: String = "0123456789abcdef", first: Int = 1, last: Int = 2) -> String {
        #"{"store":"\#(store)","version":"dtvr/1","batch":"\#(batch)","first_seq":\#(first),"last_seq":\#(last),"#
            + #""losses":{"evicted":0}}"#
    }

    static func body(_ numbers: some Sequence<Int>) -> [UInt8] {
        let numbers = Array(numbers)
        let lines = [header(first: numbers.min() ?? 1, last: numbers.max() ?? 1)] + numbers.map(line)
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    static func request(
        _ collector: Collector, _ body: [UInt8], encoding: String? = nil, token: String? = nil,
        type: String = "application/x-ndjson"
    ) -> HTTPRequest {
        var request = HTTPRequest(.post(body: body), url: collector.url)
        request.headers.append("Content-Type", type)
        if let encoding { request.headers.append("Content-Encoding", encoding) }
        request.bearerToken = token
        return request
    }

    static func zstd(_ bytes: [UInt8]) throws -> [UInt8] {
        var compressor = try ZstdCompressor(.init(level: 1))
        return try compressor.compress(bytes.span)
    }

    static func gzip(_ bytes: [UInt8]) throws -> [UInt8] { try Deflation.deflate(bytes.span, .gzip) }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
