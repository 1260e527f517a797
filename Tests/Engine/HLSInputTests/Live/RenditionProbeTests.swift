import HLSPlaylist
import HTTPTransfer
import TestSupport
import Testing

@testable import HLSInput

@Suite(.timeLimit(.minutes(30))) struct RenditionProbeTests {
    /// Null packets: a transport stream without tags.
    private static let silence = ServedResource(
        (0..<20).flatMap { _ in [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184) })

    private func site(audio: Int, low: Int, high: Int) throws -> LiveSite {
        let site = try LiveSite(["/silence.ts": Self.silence])
        site["/master.m3u8"] = ServedResource(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="main",DEFAULT=YES,URI="audio.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360,AUDIO="a"
            high.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=320x180,AUDIO="a"
            low.m3u8

            """)
        // In each rendition, the given number of segments at the start has no tags.
        for (name, silent) in [("audio", audio), ("low", low), ("high", high)] {
            let names = site.stream.segmentNames
            site.list([0, 1, 2], at: "/\(name).m3u8", uri: { $0 < silent ? "silence.ts" : names[$0] })
        }
        return site
    }

    private func probe(_ site: LiveSite, clock: ManualClock = ManualClock(jumps: true)) async throws
        -> [ProbedRendition]
    {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let input = LiveInput(
            channel: "c", url: site.base + "/master.m3u8", fetcher: try ResourceFetcher(client: client),
            clock: clock)
        return try await input.probe()
    }

    @Test func renditions_withAndWithoutTags_areDistinguished_cheapestFirst() async throws {
        let site = try site(audio: 3, low: 2, high: 0)
        // A playlist that never changes is abandoned too.
        let probed = try await probe(site)
        #expect(probed.map(\.place.uri) == ["audio.m3u8", "low.m3u8", "high.m3u8"])
        #expect(probed.map(\.carriesTags) == [false, true, true])
        #expect(probed.allSatisfy { $0.failure == nil })
        #expect(probed.cheapestWithTags?.uri == "low.m3u8")
    }

    @Test func rendition_thatCannotBeLoaded_reportsItsFailure() async throws {
        let site = try site(audio: 3, low: 3, high: 3)
        site["/low.m3u8"] = .status("404 Not Found")
        let probed = try await probe(site)
        #expect(probed.map { $0.failure?.reason } == [nil, "the server answered 404", nil])
        #expect(probed.cheapestWithTags == nil)
    }

    /// During the probe, the rendition with tags is not followed.
    @Test(arguments: [(2, 30.0...110), (3, 120.0...200)])
    func stalledRendition_isAbandonedSoonerWhenAnotherHasTags(
        silent: Int, seconds: ClosedRange<Double>
    ) async throws {
        let site = try site(audio: 3, low: silent, high: 3)
        site["/audio.m3u8"] = .status("503 Service Unavailable")
        let clock = ManualClock(jumps: true)
        let start = clock.sinceBoot
        let probed = try await probe(site, clock: clock)
        #expect(probed.map(\.carriesTags) == [false, silent == 2, false])
        #expect(seconds.contains((clock.sinceBoot - start) / .seconds(1)))
    }

    @Test func rendition_withoutTags_isReadForThirtySeconds() async throws {
        let site = try LiveSite(["/silence.ts": Self.silence])
        let lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6", "#EXT-X-MEDIA-SEQUENCE:1"]
        let segments = (1...20).flatMap { _ in ["#EXTINF:6,", "silence.ts"] }
        site["/master.m3u8"] = ServedResource((lines + segments).joined(separator: "\n"))
        #expect(try await probe(site).map(\.carriesTags) == [false])
        #expect(site.targets.filter { $0 == "/silence.ts" }.count == 5)
    }
}
