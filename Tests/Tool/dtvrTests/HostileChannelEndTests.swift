import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// SIGTERM ends a monitor with its normal status while a hostile channel loads.
///
/// A monitor that does not end by itself within 5 s exits with status 130.
@Suite(.serialized, .timeLimit(.minutes(30))) struct HostileChannelEndTests {
    /// The first playlist of a channel whose other resources never answer.
    enum Content: String, CaseIterable {
        /// 20,000 variants and as many renditions.
        case manyVariants
        /// Variables that double 40 times, in each of 2,000 addresses.
        case hugeVariables
        /// 900 variants; each is followed.
        case silentRenditions
        /// 16 MB of segments whose addresses never answer.
        case endlessSegments

        fileprivate var playlist: [UInt8] {
            switch self {
            case .manyVariants: Self.multivariant(count: 20_000, name: "r")
            case .silentRenditions: Self.multivariant(count: 900, name: "r")
            case .hugeVariables:
                Array(Self.variables.utf8) + Self.multivariant(count: 2_000, name: "{$v40}").dropFirst(8)
            case .endlessSegments:
                Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n".utf8)
                    + repeatElement(Array("#EXTINF:1,\nsegment.ts\n".utf8), count: 600_000).joined()
            }
        }

        private static var variables: String {
            let doubling = (1...40).map {
                "#EXT-X-DEFINE:NAME=\"v\($0)\",VALUE=\"{$v\($0 - 1)}{$v\($0 - 1)}\"\n"
            }
            return "#EXTM3U\n#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"abcdefgh\"\n" + doubling.joined()
        }

        private static func multivariant(count: Int, name: String) -> [UInt8] {
            var bytes = Array("#EXTM3U\n".utf8)
            for index in 0..<count {
                bytes +=
                    "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"n\",URI=\"a\(index)-\(name).m3u8\"\n".utf8
                bytes += "#EXT-X-STREAM-INF:BANDWIDTH=\(index),AUDIO=\"g\"\nv\(index)-\(name).m3u8\n".utf8
            }
            return bytes
        }
    }

    /// The signal is sent when the playlist is requested, or later, when the channels have made eight requests.
    @Test(arguments: Content.allCases, [false, true])
    func monitor_whileAHostileChannelLoads_exitsWith0(content: Content, isLater: Bool) async throws {
        let playlist = content.playlist
        let requestCount = Mutex(0)
        let server = try LoopbackServer { request in
            requestCount.withLock { $0 += 1 }
            return request.target == "/index.m3u8" ? ServedResource(playlist).answer(to: request) : [.hang]
        }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "channels",
            (0..<3).map {
                "[channel c\($0)]\nurl = \(server.base)/index.m3u8\nrendition = \($0 == 0 ? "all" : "auto")\n"
            }
            .joined().utf8)
        let monitor = try RunningMonitor(
            ["--format", "jsonl", "--channels", path], in: folder,
            output: FileHandle(forWritingAtPath: "/dev/null"))
        try await wait(for: "requests") {
            let isAsked = requestCount.withLock { $0 >= (isLater ? 8 : 1) }
            if isAsked { monitor.process.signal(SIGTERM) }
            return isAsked || monitor.process.hasEnded
        }
        #expect(await monitor.process.exitStatus() == 0, "\(monitor.errors.suffix(1_000))")
    }
}
