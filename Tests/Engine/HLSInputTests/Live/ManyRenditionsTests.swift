import HLSPlaylist
import HTTPTransfer
import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

/// Multivariant playlists with the maximum number of entries: the work is linear in them.
@Suite(.timeLimit(.minutes(30))) struct ManyRenditionsTests {
    /// Returns the lines of variants that each have their own audio group, or that all have equal attributes.
    private static func lines(variants: Int, isAlike: Bool) -> [String] {
        (0..<variants).flatMap { index in
            let group = isAlike ? "g" : "g\(index)"
            return [
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"\(group)\",NAME=\"n\",DEFAULT=YES,URI=\"audio\(index)\"",
                "#EXT-X-STREAM-INF:BANDWIDTH=\(isAlike ? 1 : index),AUDIO=\"\(group)\"", "video\(index)",
            ]
        }
    }

    private static func input(_ site: LiveSite, clock: ManualClock = ManualClock(jumps: true)) throws
        -> LiveInput
    {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        return LiveInput(
            channel: "c", url: site.base + "/master.m3u8", fetcher: try ResourceFetcher(client: client),
            clock: clock)
    }

    private static func site(variants: Int, isAlike: Bool) throws -> LiveSite {
        let site = try LiveSite()
        let lines = ["#EXTM3U"] + lines(variants: variants, isAlike: isAlike)
        site["/master.m3u8"] = ServedResource(lines.joined(separator: "\n"))
        return site
    }

    @Test(arguments: [false, true])
    func renditions_upToTheLimit_areSelectedAndMatchedAfterReload(isAlike: Bool) async throws {
        let maximum = PlaylistLimit.variants.maximum
        let site = try Self.site(variants: 2 * maximum, isAlike: isAlike)
        let input = try Self.input(site)
        let places = try await input.open(.all)
        #expect(places.count == 2 * maximum)
        #expect(places.prefix(maximum).map(\.uri) == (0..<maximum).map { "video\($0)" })
        #expect(places.map(\.id.index) == Array(0..<2 * maximum))
        #expect(places[0].exceededLimits == [.renditions, .variants])
        #expect(Set(places.compactMap(\.name)).count == places.count)
        // Each rendition is found again at its place.
        for place in [places[0], places[maximum - 1], places[maximum], places[2 * maximum - 1]] {
            #expect(try await input.counterpart(of: place)?.uri == place.uri)
        }
        #expect(places[1].audio == (isAlike ? "audio0" : "audio1"))
        #expect(places.filter(\.isComparable).count == (isAlike ? maximum + 1 : 2 * maximum))
    }

    /// No media playlist can be loaded; the remaining renditions are abandoned when the time expires.
    @Test func probe_ofManyFailingRenditions_endsWithinItsTimeLimit() async throws {
        let site = try Self.site(variants: 200, isAlike: false)
        let clock = ManualClock(jumps: true)
        let start = clock.sinceBoot
        let probed = try await Self.input(site, clock: clock).probe()
        #expect(!probed.isEmpty && probed.count < 400)
        #expect(probed.allSatisfy { !$0.carriesTags && $0.failure != nil })
        #expect(clock.sinceBoot - start < .seconds(400))
    }
}
