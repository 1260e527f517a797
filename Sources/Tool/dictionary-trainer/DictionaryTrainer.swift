import ByteReading
import CDTVRZstd
import Glibc
import TagStore

/// Trains the compression dictionary for stored bodies and writes it as a Swift file.
///
///     swift run dictionary-trainer Sources/Engine/TagStore/Values/BodyDictionary+Shipped.swift
///
/// adds a version to the shipped ones. With `--replace` after the path, it replaces the last version, which must not
/// have been shipped.
@main
struct DictionaryTrainer {
    static let dictionaryByteCount = 4_096
    static let trainingCount = 6_000
    static let probeCount = 2_000

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else { fail("usage: dictionary-trainer FILE [--replace]") }
        guard let samples = bodies(trainingCount, seed: 20_261_121), let probes = bodies(probeCount, seed: 7)
        else {
            fail("the decoder rejects a synthetic tag")
        }
        guard let dictionary = train(samples) else { fail("zstd cannot train a dictionary") }
        var texts = BodyDictionary.shipped.map { Hexadecimal.text($0.bytes) }
        if arguments.contains("--replace"), !texts.isEmpty { texts.removeLast() }
        texts.append(Hexadecimal.text(dictionary))
        guard write(source(of: texts), to: arguments[1]) else { fail("\(arguments[1]) cannot be written") }

        let plain = probes.reduce(0) { $0 + $1.count }
        print("test bodies of \(plain / probes.count) bytes on average, not in the training set:")
        for level in [1, 3, 6, 12, 19] as [Int32] {
            let without = probes.reduce(0) { $0 + compressedByteCount($1, with: [], level: level) }
            let with = probes.reduce(0) { $0 + compressedByteCount($1, with: dictionary, level: level) }
            print(
                "  level \(level): \(without / probes.count) without, \(with / probes.count) with the dictionary"
            )
        }
    }

    static func bodies(_ count: Int, seed: UInt64) -> [[UInt8]]? {
        var source = SyntheticBodies(seed: seed)
        var list: [[UInt8]] = []
        for _ in 0..<count {
            guard let body = source.next() else { return nil }
            list.append(body)
        }
        return list
    }

    static func train(_ samples: [[UInt8]]) -> [UInt8]? {
        let bytes = samples.flatMap(\.self)
        let sizes = samples.map(\.count)
        var isTrained = false
        let dictionary = unsafe [UInt8](unsafeUninitializedCapacity: dictionaryByteCount) { buffer, count in
            // The sizes add up to the count of `bytes`; zstd writes within the buffer and returns the length.
            let code = unsafe ZDICT_trainFromBuffer(
                buffer.baseAddress, buffer.count, bytes, sizes, UInt32(sizes.count))
            isTrained = ZDICT_isError(code) == 0
            count = isTrained ? code : 0
        }
        return isTrained ? dictionary : nil
    }

    static func compressedByteCount(_ body: [UInt8], with dictionary: [UInt8], level: Int32) -> Int {
        guard let context = unsafe ZSTD_createCCtx() else { fail("out of memory") }
        // The context was created above and is used until the function returns.
        defer { unsafe ZSTD_freeCCtx(context) }
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(body.count))
        // The output has the capacity that zstd requires.
        let code = unsafe ZSTD_compress_usingDict(
            context, &output, output.count, body, body.count, dictionary, dictionary.count, level)
        return code
    }

    static func source(of texts: [String]) -> String {
        var lines = [
            "// Written by dictionary-trainer.", "", "extension BodyDictionary {",
            "    /// The shipped dictionaries as hexadecimal digits, oldest first; the first has version 2.",
            "    static let shippedTexts: [String] = [",
        ]
        for text in texts {
            lines.append("        \"\"\"")
            var rest = Substring(text)
            while !rest.isEmpty {
                lines.append("        " + rest.prefix(96))
                rest = rest.dropFirst(96)
            }
            lines.append("        \"\"\",")
        }
        return (lines + ["    ]", "}", ""]).joined(separator: "\n")
    }

    static func write(_ text: String, to path: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let file = unsafe fopen(path, "w") else { return false }
        // The file is open until the next line; the array outlives the call.
        let count = unsafe fwrite(bytes, 1, bytes.count, file)
        return unsafe fclose(file) == 0 && count == bytes.count
    }

    static func fail(_ message: String) -> Never {
        // The array outlives the call.
        let bytes = Array((message + "\n").utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
        exit(1)
    }
}
