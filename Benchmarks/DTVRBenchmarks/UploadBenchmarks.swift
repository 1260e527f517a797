import ByteReading
import Foundation
import ID3v2
import NielsenID3
import TagRecord
import TagStore

extension BenchmarkGroup {
    /// `dtvr upload` of a store of ten days over TLS, to a collector that stores nothing (`batch-sink`).
    ///
    /// Both run on this machine, on all of its cores. The figures are for the whole command, from start to exit.
    /// `nothing-to-send` is the same command on the emptied store, divided by the same number of tags.
    static let upload = BenchmarkGroup(name: "upload", reference: "dtvr-upload") {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory())
            .appendingPathComponent("dtvr-upload-\(TagID.random().text)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // A leftover in the temporary directory is harmless.
            try? FileManager.default.removeItem(at: folder)
        }
        guard let openssl = CommandRun.installed("openssl") else {
            return [.skipped(name: "dtvr-upload", reason: "openssl is not installed")]
        }
        let sink = try BatchSink(in: folder, openssl: openssl)
        defer { sink.end() }
        let data = UploadData(folder: folder, sink: sink)
        try data.fill()
        var seconds: [String: [Double]] = [:]
        var peaks: [String: CommandRun] = [:]
        for round in 0..<7 {
            let store = try data.copy(round)
            for name in ["dtvr-upload", "nothing-to-send"] {
                let run = try CommandRun(data.command(store), cores: "0-\(data.coreCount - 1)")
                seconds[name, default: []].append(run.seconds)
                if run.peakMegabytes > peaks[name]?.peakMegabytes ?? 0 { peaks[name] = run }
            }
            try FileManager.default.removeItem(at: store)
        }
        return ["dtvr-upload", "nothing-to-send"].flatMap { name -> [Entry] in
            let nanoseconds = (seconds[name] ?? []).map { $0 * 1e9 / Double(UploadData.tagCount) }
            let peak = peaks[name].map { Entry.noted("peak memory of \(name): \($0.peakText)") }
            return [.reported(name: name, nanoseconds: nanoseconds, byteCount: nil)]
                + (peak.map { [$0] } ?? [])
        }
    }
}

/// The store to upload, and the command that uploads it.
struct UploadData {
    /// A tag every ten seconds for ten days.
    static let tagCount = 86_400
    private static let tagsAnAppend = 400

    let folder: URL
    let sink: BatchSink

    var coreCount: Int { ProcessInfo.processInfo.activeProcessorCount }

    private var full: URL { folder.appendingPathComponent("full") }

    /// The option that makes this program fill a store.
    static let fillOption = "--fill-store"

    /// Fills the store that is copied for each round, in a separate process.
    ///
    /// The kernel counts the resident memory of this process into the peak of every command that it starts.
    func fill() throws {
        try CommandRun([CommandLine.arguments[0], Self.fillOption, full.path])
    }

    /// Fills a new store.
    static func fill(_ path: String) throws {
        try waitFor {
            let store = try await TagBuffer.open(directory: path)
            var tags = SampleTags()
            for _ in 0..<tagCount / tagsAnAppend {
                try await store.append((0..<tagsAnAppend).map { _ in NewTag(body: try tags.next()) })
            }
            await store.close()
        }
    }

    func copy(_ round: Int) throws -> URL {
        let store = folder.appendingPathComponent("store-\(round)")
        try FileManager.default.copyItem(at: full, to: store)
        return store
    }

    func command(_ store: URL) -> [String] {
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let tool = package.appendingPathComponent(".build/release/dtvr").path
        return [
            tool, "upload", "--store", store.path, "--collector", sink.address, "--cacert", sink.certificate,
        ]
    }
}

/// Stored bodies of tags with distinct opaque parts and valid checksums.
struct SampleTags {
    private var state: UInt64 = 1
    private var number: UInt32 = 0

    private mutating func block(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    mutating func next() throws -> [UInt8] {
        let time = 1_790_000_000 + number * 10
        var blob: [UInt8] = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number), 2]
        // Seven blocks: five with data, and two that are marked as unused.
        blob += block(5 * 16)
        for _ in 0..<2 { blob += Self.nullBlock }
        for value in [time, time + 10] {
            for shift in [24, 16, 8, 0] as [UInt32] { blob.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        let sum = blob.reduce(UInt16(0)) { $0 &+ UInt16($1) }
        blob += [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
        let ids = "\(Self.base64(block(16)))/\(Self.base64(block(16)))"
        let owner = Array("www.nielsen.com/\(ids)/\(Self.base64(blob))/00042/00042/00".utf8)
        guard let tag = NielsenTag(ownerIdentifier: owner.span) else {
            throw CommandRun.Failure(description: "a sample tag cannot be read")
        }
        let ticks = UInt64(number) * 900_000 % (1 << 33)
        let origin = TagOrigin.recording(
            TagPlace(
                source: "https://cdn.example.net/hls/channel7/master.m3u8", renditions: ["v1/index.m3u8"],
                segment: "segment_\(10_000 + number).ts", mediaSequence: UInt64(number),
                programDateTime: Int64(time) * 1_000))
        number += 1
        return StoredBody.encode(
            TagOccurrence(
                tag: tag, origin: origin, time: MediaTimestamp(pts: ticks), seconds: Double(ticks) / 90_000,
                carriage: .transportStream(pid: 258)))
    }

    private static let nullBlock: [UInt8] = [
        0x5F, 0x5D, 0x34, 0xCD, 0xD0, 0x88, 0x19, 0xE2, 0x25, 0x81, 0x99, 0xE4, 0x62, 0x3E, 0x94, 0xBD,
    ]

    /// base64 with the alphabet for URLs, padded (RFC 4648, section 5).
    private static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }
}
