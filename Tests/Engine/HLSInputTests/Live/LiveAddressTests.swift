import HLSPlaylist
import HTTPTransfer
import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

/// The addresses that a live channel remembers, and their renewal after they expire.
@Suite(.timeLimit(.minutes(30))) struct LiveAddressTests {
    private static func input(_ url: String) throws -> LiveInput {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        return LiveInput(channel: "one-hd", url: url, fetcher: try ResourceFetcher(client: client))
    }

    /// The request was unconditional and the playlist is unknown, so a cache is broken.
    @Test func status304_afterAnUnconditionalRequest_isAFailure() async throws {
        let site = try LiveSite()
        site.list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        site["/index.m3u8"] = .status("304 Not Modified")
        let load = await reader.load()
        #expect(load.status == 304 && load.failure?.reason == "the server answered 304")
    }

    /// Another address may have another version with the same ETag.
    @Test func entityTag_isNotSentToAnotherAddress() async throws {
        let tag = ["ETag: \"v1\""]
        let site = try LiveSite(["/in": .redirect(to: "/a/index.m3u8")])
        let segments: (Int) -> String = { [stream = site.stream] in "/" + stream.segmentNames[$0] }
        site.list([0], at: "/a/index.m3u8", headers: tag, uri: segments)
        var reader = try await LiveReader(site.base + "/in")
        _ = await reader.load()
        site["/a/index.m3u8"] = .status("410 Gone")
        site["/in"] = .redirect(to: "/b/index.m3u8")
        site.list([0, 1], at: "/b/index.m3u8", headers: tag, uri: segments)
        let load = await reader.load()
        #expect(load.status == 200 && load.segments.map(\.listed.mediaSequence) == [101])
        #expect(await reader.load().status == 304)
    }

    /// Without their queries, the addresses of the playlists are equal.
    @Test func renditions_thatDifferInTheirQueries_haveDistinctNames() async throws {
        let master = """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="one",DEFAULT=YES,URI="list.m3u8?id=audio"
            #EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=320x180,AUDIO="a"
            list.m3u8?id=low
            #EXT-X-STREAM-INF:BANDWIDTH=200000,RESOLUTION=640x360,AUDIO="a"
            list.m3u8?id=high

            """
        let site = try LiveSite(["/master.m3u8": ServedResource(master)])
        let places = try await Self.input(site.base + "/master.m3u8").open(.all)
        #expect(places.map(\.printableURI) == ["list.m3u8?…", "list.m3u8?…", "list.m3u8?…"])
        #expect(Set(places.map(\.name)).count == 3)
        #expect(places.map(\.audioName) == [places[2].name, places[2].name, nil])
    }

    /// Two playlists with equal descriptions are distinguished by their order.
    @Test func renditionsDescribedAlike_withNewURIs_areMatchedByOrder() async throws {
        let site = try LiveSite()
        func open(session: Int) {
            let variant = "#EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=320x180"
            site["/master.m3u8"] = ServedResource(
                (["#EXTM3U"] + ["a", "b"].flatMap { [variant, "\($0).m3u8?session=\(session)"] }).joined(
                    separator: "\n") + "\n")
        }
        open(session: 1)
        let input = try Self.input(site.base + "/master.m3u8")
        let places = try await input.open(.all)
        #expect(places.map(\.uri) == ["a.m3u8?session=1", "b.m3u8?session=1"])
        open(session: 2)
        for (index, name) in ["a", "b"].enumerated() {
            let found = try await input.counterpart(of: places[index])
            #expect(found?.uri == "\(name).m3u8?session=2" && found?.id == RenditionID(index))
        }
    }

    private static func multivariant(_ uris: String..., bandwidth: Int = 100_000) -> ServedResource {
        let lines = uris.flatMap { ["#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)", $0] }
        return ServedResource((["#EXTM3U"] + lines).joined(separator: "\n") + "\n")
    }

    /// For example, a CDN is switched off, and the multivariant playlist names another one.
    @Test(arguments: ["500 Internal Server Error", "429 Too Many Requests", "200 OK"])
    func failingPlaylist_thatHasMoved_isFoundAfterThreeFailures(status: String) async throws {
        let site = try LiveSite()
        site["/master.m3u8"] = Self.multivariant("old/index.m3u8")
        let segments: (Int) -> String = { [stream = site.stream] in "/" + stream.segmentNames[$0] }
        site.list([0], at: "/old/index.m3u8", uri: segments)
        var reader = try await LiveReader(site.base + "/master.m3u8")
        #expect(await reader.load().segments.count == 1)
        // With status 200 the body is empty, which is not a playlist.
        site["/old/index.m3u8"] = .status(status)
        site["/master.m3u8"] = Self.multivariant("new/index.m3u8")
        site.list([0, 1], at: "/new/index.m3u8", uri: segments)
        #expect(await reader.load().failure != nil)
        #expect(await reader.load().failure != nil)
        let load = await reader.load()
        #expect(load.failure == nil && load.segments.map(\.listed.mediaSequence) == [101])
        #expect(site.targets.count { $0 == "/master.m3u8" } == 2)
        #expect(!reader.rendition.isGone)
    }

    @Test func failingPlaylist_thatHasNotMoved_isRequestedOncePerFailure() async throws {
        let site = try LiveSite()
        site["/master.m3u8"] = Self.multivariant("a/index.m3u8")
        site["/a/index.m3u8"] = .status("503 Service Unavailable")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        for _ in 0..<7 { #expect(await reader.load().failure != nil) }
        #expect(site.targets.count { $0 == "/a/index.m3u8" } == 7)
        #expect(site.targets.count { $0 == "/master.m3u8" } == 3)
        #expect(!reader.rendition.isGone)
    }

    @Test(arguments: ["404 Not Found", "503 Service Unavailable"])
    func rendition_noLongerListed_isGone(status: String) async throws {
        let site = try LiveSite()
        site["/master.m3u8"] = Self.multivariant("a/index.m3u8", "b/index.m3u8")
        let segments: (Int) -> String = { [stream = site.stream] in "/" + stream.segmentNames[$0] }
        site.list([0], at: "/a/index.m3u8", uri: segments)
        var reader = try await LiveReader(site.base + "/master.m3u8")
        _ = await reader.load()
        site["/a/index.m3u8"] = .status(status)
        site["/master.m3u8"] = Self.multivariant("c/index.m3u8", bandwidth: 200_000)
        for _ in 0..<3 { #expect(await reader.load().failure != nil) }
        #expect(reader.rendition.isGone)
    }

    @Test func mediaPlaylist_replacedByAMultivariantPlaylist_isGone() async throws {
        let site = try LiveSite()
        site.list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        #expect(!reader.rendition.isGone)
        site["/index.m3u8"] = Self.multivariant("a/index.m3u8")
        #expect(await reader.load().failure != nil)
        #expect(reader.rendition.isGone)
    }

    /// The multivariant playlist describes the rendition differently, but lists it at the same URI.
    @Test func rendition_thatIsListedAtItsURI_isNotGone() async throws {
        let site = try LiveSite()
        site["/master.m3u8"] = Self.multivariant("a/index.m3u8")
        site["/a/index.m3u8"] = .status("404 Not Found")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        site["/master.m3u8"] = Self.multivariant("a/index.m3u8", bandwidth: 200_000)
        #expect(await reader.load().failure != nil)
        #expect(!reader.rendition.isGone)
    }

    @Test func counterpart_ofARenditionNoLongerListed_isNil_andOfAMediaPlaylistIsItself() async throws {
        let site = try LiveSite()
        site["/master.m3u8"] = Self.multivariant("a/index.m3u8")
        site["/other.m3u8"] = Self.multivariant("c/index.m3u8", bandwidth: 200_000)
        site.list([0], at: "/only.m3u8")
        let variant = try await Self.input(site.base + "/master.m3u8").open(.all)[0]
        let only = try await Self.input(site.base + "/only.m3u8").open(.all)[0]
        #expect(try await Self.input(site.base + "/other.m3u8").counterpart(of: variant) == nil)
        #expect(try await Self.input(site.base + "/other.m3u8").counterpart(of: only) == nil)
        #expect(try await Self.input(site.base + "/only.m3u8").counterpart(of: variant) == nil)
        let found = try #require(try await Self.input(site.base + "/only.m3u8").counterpart(of: only))
        #expect(found.address == .network(site.base + "/only.m3u8"))
    }
}
