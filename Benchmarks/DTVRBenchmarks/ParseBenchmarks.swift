import CID3Tag
import CTagLibPeer
import ID3v2
import NielsenID3

extension BenchmarkGroup {
    /// Parsing of 271-byte tags to the owner identifier and data, and to all fields.
    ///
    /// The tags are contiguous in one array. The times exclude its creation, and include freeing the parsers' results.
    static let parse = BenchmarkGroup(name: "parse", reference: "private-frame") {
        let nielsen = TagCorpus(owner: "www.nielsen.com")
        let others = TagCorpus(owner: "www.another.com")
        var entries: [Entry] = [
            .measured(nielsen.benchmark("cache-lines") { tag in UInt64(tag.cacheLineSum()) }),
            .measured(nielsen.benchmark("private-frame") { tag in privateFrameLength(tag) }),
            .measured(
                others.benchmark("nielsen-tag.other-owner") { tag in
                    NielsenTag(tagBytes: tag) == nil ? 1 : 0
                }),
            .measured(nielsen.benchmark("nielsen-tag") { tag in fields(NielsenTag(tagBytes: tag)) }),
            .measured(
                nielsen.benchmark("nielsen-tag.general") { tag in
                    do throws(ID3Error) { return fields(NielsenTag(tag: try ID3Tag(tag))) } catch { return 0 }
                }),
        ]
        entries.append(
            dtvr_id3tag_open() == 1
                ? nielsen.peer("libid3tag") { tag in
                    // It reads `count` bytes during the call, and keeps only copies.
                    unsafe tag.withUnsafeBufferPointer {
                        unsafe dtvr_id3tag_private_frame($0.baseAddress, $0.count)
                    }
                }
                : .skipped(name: "libid3tag", reason: "libid3tag.so.0 is not installed"))
        entries.append(
            dtvr_taglib_is_there() == 1
                ? nielsen.peer("taglib") { tag in
                    // It reads `count` bytes during the call, and keeps only copies.
                    unsafe tag.withUnsafeBufferPointer {
                        unsafe dtvr_taglib_private_frame($0.baseAddress, $0.count)
                    }
                }
                : .skipped(name: "taglib", reason: "libtag1-dev was not installed when this was built"))
        entries.append(PythonPeer.mutagen(parsing: nielsen.firstTag))
        return entries
    }

    private static func privateFrameLength(_ bytes: Span<UInt8>) -> UInt64 {
        do throws(ID3Error) {
            let tag = try ID3Tag(bytes)
            var frames = tag.frames
            while let frame = frames.next() {
                guard let content = frame.privateFrame else { continue }
                return UInt64(content.ownerIdentifier.count + content.data.count)
            }
            return 0
        } catch {
            return 0
        }
    }

    private static func fields(_ tag: NielsenTag?) -> UInt64 {
        guard let tag else { return 0 }
        return UInt64(tag.sequence ?? 0) &+ UInt64(tag.lastTime ?? 0) &+ UInt64(tag.unusedBlockCount ?? 0)
            &+ UInt64(tag.ownerIdentifier.count) &+ (tag.pcCID?.low ?? 0)
    }
}

extension Span<UInt8> {
    /// Returns the sum of one byte of every cache line, a lower bound for readers of all bytes.
    fileprivate func cacheLineSum() -> Int {
        var sum = 0
        var position = 0
        while position < count {
            sum &+= Int(self[position])
            position += 64
        }
        return sum
    }
}

/// A megabyte of synthetic tags of 271 bytes.
private struct TagCorpus {
    private static let count = 4096
    private static let length = 271
    private let bytes: [UInt8]

    var firstTag: [UInt8] { Array(bytes.prefix(Self.length)) }

    /// Creates tags whose owner identifier begins with `owner`, of 15 characters; all fields are valid for Nielsen's.
    init(owner: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.count * Self.length)
        var state: UInt32 = 271
        func random() -> UInt8 {
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        for index in 0..<Self.count {
            let time = 1_700_000_000 + 10 * index
            func number(_ value: Int, _ count: Int) -> [UInt8] {
                (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
            }
            var blob = number(index, 2) + [2] + (0..<112).map { _ in random() }
            blob += number(time, 4) + number(time + 10, 4)
            blob += number(blob.reduce(0) { $0 + Int($1) }, 2)
            let pieces = [
                owner, Self.base64((0..<16).map { _ in random() }),
                Self.base64((0..<16).map { _ in random() }),
                Self.base64(blob), "00100", "00200", "00",
            ]
            bytes += [0x49, 0x44, 0x33, 4, 0, 0x20, 0, 0, 2, 5, 0x50, 0x52, 0x49, 0x56, 0, 0, 1, 0x7B, 0, 0]
            bytes += Array(pieces.joined(separator: "/").utf8) + [0, 0x41]
        }
        precondition(bytes.count == Self.count * Self.length)
        self.bytes = bytes
    }

    /// Returns a benchmark that passes each tag to `body`.
    func benchmark(_ name: String, _ body: @escaping (Span<UInt8>) -> UInt64) -> Benchmark {
        Benchmark(name: name, itemCount: Self.count, byteCount: bytes.count) {
            var sum: UInt64 = 0
            let span = bytes.span
            for index in 0..<Self.count {
                let start = index * Self.length
                sum &+= body(span.extracting(start..<start + Self.length))
            }
            return sum
        }
    }

    /// Returns a benchmark of another library; `parse` returns the length of the owner identifier and data.
    func peer(_ name: String, _ parse: @escaping (Span<UInt8>) -> Int) -> Entry {
        // A parser that does not find the frame does less work, so its time is not comparable.
        guard parse(firstTag.span) == 250 else {
            return .skipped(name: name, reason: "finds no private frame in the tags")
        }
        return .measured(benchmark(name) { tag in UInt64(parse(tag)) })
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
            for index in 0...group.count { text.append(alphabet[bits >> (18 - 6 * index) & 0x3F]) }
            text += [UInt8](repeating: 0x3D, count: 3 - group.count)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
