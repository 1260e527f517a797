import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// The memory of a channel whose server sends as much as possible of everything.
@Suite(.timeLimit(.minutes(30))) struct ChannelMemoryTests {
    /// The budget of one channel that SECURITY.md states.
    private static let channelMebibyteCount = 128
    /// The memory of a monitor without channels, built for debugging.
    private static let monitorMebibyteCount = 48
    /// The number of segments that are served, three for each rendition.
    private static let servedSegmentCount = 96
    private static let renditionCount = 32

    /// A form of segment that makes a demuxer buffer its input.
    enum Content: String, CaseIterable {
        /// Packets of a transport stream that never has a program map.
        case unmappedPackets
        /// 16 MiB of `emsg` boxes with a tag of 200 bytes each.
        case smallTags
        /// Tags of 3 MiB.
        case largeTags

        fileprivate var segment: [UInt8] {
            switch self {
            case .unmappedPackets:
                let packet = [0x47, 0x41, 0x00, 0x10] + [UInt8](repeating: 0xAA, count: 184)
                return Array(repeatElement(packet, count: 90_000).joined())
            case .smallTags: return Self.events(count: 60_000, textByteCount: 200)
            case .largeTags: return Self.events(count: 5, textByteCount: 3 << 20)
            }
        }

        private static func events(count: Int, textByteCount: Int) -> [UInt8] {
            var bytes = box("styp", Array("msdh".utf8) + [0, 0, 0, 0] + Array("msdh".utf8))
            for index in 0..<count {
                let frame =
                    Array("owner-\(index)".utf8) + [0] + [UInt8](repeating: 0x2E, count: textByteCount)
                let tag =
                    Array("ID3".utf8) + [4, 0, 0] + syncSafe(frame.count + 10) + Array("PRIV".utf8)
                    + syncSafe(frame.count) + [0, 0] + frame
                bytes += box(
                    "emsg",
                    // Version 1: timescale, presentation time, duration and id; then the two texts.
                    [1, 0, 0, 0] + number(90_000) + number(0) + number(UInt32(index)) + number(0)
                        + number(UInt32(index)) + Array("https://aomedia.org/emsg/ID3".utf8) + [0]
                        + Array("\(index)".utf8) + [0] + tag)
            }
            return bytes + box("moof", []) + box("mdat", [])
        }

        private static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
            number(UInt32(payload.count + 8)) + Array(type.utf8) + payload
        }

        private static func number(_ value: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { (shift: Int) in UInt8(truncatingIfNeeded: value >> shift) }
        }

        private static func syncSafe(_ value: Int) -> [UInt8] {
            [21, 14, 7, 0].map { (shift: Int) in UInt8(value >> shift & 0x7F) }
        }
    }

    /// 32 renditions, each with a playlist of almost 1 MiB that lists 500 segments, all read at once.
    @Test(arguments: Content.allCases)
    func channel_atMaximumLoad_staysWithinItsMemoryBudget(content: Content) async throws {
        let segment = content.segment
        let served = Mutex(0)
        let renditions = (0..<Self.renditionCount).map {
            "#EXT-X-STREAM-INF:BANDWIDTH=\($0 + 1)000\n\($0).m3u8"
        }
        let padding = String(repeating: "# \(String(repeating: "x", count: 97))\n", count: 7_500)
        let server = try LoopbackServer { request in
            if request.target.hasSuffix("master.m3u8") {
                let text = "#EXTM3U\n" + renditions.joined(separator: "\n") + "\n"
                return ServedResource(text).answer(to: request)
            }
            if request.target.hasSuffix(".m3u8") {
                let name = request.target.dropLast(5)
                let long = String(repeating: "s", count: 300)
                let lines = (0..<500).map { "#EXTINF:2,\n\(name)-\($0)-\(long).bin\n" }
                let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + padding + lines.joined()
                return ServedResource(text).answer(to: request)
            }
            // After enough segments, the server stops answering, so that the monitor ends with all its transfers in
            // progress, even on a loaded machine.
            let isServed = served.withLock { count in
                count += 1
                return count <= Self.servedSegmentCount
            }
            return isServed ? ServedResource(segment).answer(to: request) : [.hang]
        }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "channels", "[channel hostile]\nurl = \(server.base)/master.m3u8\nrendition = all\n".utf8)
        let monitor = try RunningMonitor(
            ["--format", "jsonl", "--channels", path], in: folder,
            output: FileHandle(forWritingAtPath: "/dev/null"))
        try await wait(for: "a transfer that hangs in each rendition") {
            served.withLock { $0 } >= Self.servedSegmentCount + Self.renditionCount
        }
        let peak = try monitor.process.peakMebibyteCount
        #expect(peak < Self.monitorMebibyteCount + Self.channelMebibyteCount, "\(peak) MiB")
        let status = await monitor.stop()
        #expect(status == 0, "\(monitor.errors.suffix(2_000))")
    }
}
