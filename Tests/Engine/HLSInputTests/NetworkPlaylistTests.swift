import ID3v2
import NielsenID3
import StreamSynthesis
import Synchronization
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

/// Playlists from the network, and the resources that they name.
@Suite(.timeLimit(.minutes(30))) struct NetworkPlaylistTests {

    @Test func fileReference_inANetworkPlaylist_isForbidden_andTheRestIsRead() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        let secret = try folder.write("secret.ts", stream[1])
        let playlist = stream.playlist(
            segments: [0, 1, 2],
            uri: { index in
                index == 1 ? "file://" + secret : stream.segmentNames[index]
            })
        let server = try LoopbackServer(
            serving: NetworkInputTests.site(stream, ["/p.m3u8": ServedResource(playlist)]))
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/p.m3u8", allowsPrivateAddresses: true)
        #expect(reading.readSegments == [0, 2])
        #expect(Set(reading.owners) == Set(stream.owners(inSegments: [0, 2])))
        #expect(
            reading.failures.first?.error
                == .forbiddenAddress("file://" + secret, playlist: server.base + "/p.m3u8"))
    }

    @Test(arguments: ["KEY:METHOD=AES-128,URI", "MAP:URI"])
    func fileKeyOrMap_inANetworkPlaylist_isForbidden(attribute: String) async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = stream.playlist(
            segments: [0], header: ["#EXT-X-\(attribute)=\"file:///etc/hostname\""])
        let server = try LoopbackServer(
            serving: NetworkInputTests.site(stream, ["/p.m3u8": ServedResource(playlist)]))
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/p.m3u8")
        guard case .forbiddenAddress("file:///etc/hostname", _) = reading.failures.first?.error else {
            Issue.record("\(reading.failures)")
            return
        }
    }

    @Test func nestedPlaylists_areNotFollowed() async throws {
        let stream = try SyntheticStream.transport.get()
        let named = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n"
        let variant = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n"
        let server = try LoopbackServer(
            serving: NetworkInputTests.site(
                stream,
                [
                    "/self.m3u8": ServedResource(
                        named + "self.m3u8\n#EXTINF:4,\nseg00000.ts\n#EXT-X-ENDLIST\n"),
                    "/own.m3u8": ServedResource(variant + "own.m3u8\n"),
                    "/page.m3u8": ServedResource(variant + "page.html\n"),
                    "/page.html": ServedResource("<!DOCTYPE html><title>Log in</title>"),
                ]))
        defer { server.stop() }
        let own = server.base + "/self.m3u8"
        let reading = try await InputReading(own)
        #expect(reading.failures.map(\.error) == [.nestedPlaylist("self.m3u8")])
        #expect(reading.owners == stream.owners(inSegments: [0]))
        await #expect(throws: InputError.nestedPlaylist(server.base + "/own.m3u8")) {
            try await InputReading(server.base + "/own.m3u8")
        }
        await #expect(
            throws: InputError.notPlaylist(server.base + "/page.html", likely: "it looks like an HTML page")
        ) { try await InputReading(server.base + "/page.m3u8") }
    }

    @Test func livePlaylist_isReadOnce_withANote() async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = stream.playlist(
            segments: [1, 2], header: ["#EXT-X-MEDIA-SEQUENCE:71"], isEnded: false)
        let server = try LoopbackServer(
            serving: NetworkInputTests.site(stream, ["/live.m3u8": ServedResource(playlist)]))
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/live.m3u8")
        #expect(reading.owners == stream.owners(inSegments: [1, 2]))
        #expect(Set(reading.tags.map(\.origin.place.mediaSequence)) == [71, 72])
        #expect(reading.notes.count == 1 && reading.notes.first?.contains("live playlist") == true)
        #expect(server.requests.filter { $0.target == "/live.m3u8" }.count == 1)
    }

    @Test func variables_ofTheMultivariantPlaylist_areImportedByItsMediaPlaylists() async throws {
        let stream = try SyntheticStream.transport.get()
        let multivariant = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="name",VALUE="seg"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            v.m3u8
            """
        let playlist = stream.playlist(
            header: ["#EXT-X-DEFINE:IMPORT=\"name\""],
            uri: { "{$name}" + stream.segmentNames[$0].dropFirst(3) })
        let server = try LoopbackServer(
            serving: NetworkInputTests.site(
                stream, ["/m.m3u8": ServedResource(multivariant), "/v.m3u8": ServedResource(playlist)]))
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/m.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.tags.first?.origin.place.segment == "seg00000.ts")
    }

    @Test func gapSegment_isNotRequested() async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = stream.playlist(before: { $0 == 1 ? ["#EXT-X-GAP"] : [] })
        let server = try LoopbackServer(
            serving: NetworkInputTests.site(stream, ["/g.m3u8": ServedResource(playlist)]))
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/g.m3u8")
        #expect(reading.readSegments == [0, 2, 3, 4])
        #expect(reading.failures.isEmpty)
        #expect(!server.requests.contains { $0.target == "/seg00001.ts" })
        var totals = ReadingTotals()
        for reading in reading.readings { totals.add(reading) }
        #expect(totals.segmentCount == 4 && totals.failedSegmentCount == 0)
        let gaps = reading.readings.count { if case .gap = $0.outcome { true } else { false } }
        #expect(gaps == 1)
    }
}
