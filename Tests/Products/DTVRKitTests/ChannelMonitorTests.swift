import DTVRKit
import Foundation
import StreamMonitor
import TestSupport
import Testing

/// A program that follows live channels through the library.
@Suite(.timeLimit(.minutes(30))) struct ChannelMonitorTests {
    /// The number of segments in the live playlist.
    ///
    /// They are the first ones of the demonstration stream, and the playlist never changes.
    private static let segmentCount = 4
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        var resources: [String: ServedResource] = [:]
        var playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXT-X-MEDIA-SEQUENCE:7\n"
        for number in 0..<Self.segmentCount {
            let name = "seg0000\(number).ts"
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(Project.demo)/v360/\(name)"))
            resources["/live/\(name)"] = ServedResource(Array(bytes))
            playlist += "#EXTINF:6.4,\n\(name)\n"
        }
        resources["/live/index.m3u8"] = ServedResource(playlist)
        server = try LoopbackServer(serving: resources)
        folder = try TemporaryFolder()
    }

    private func channel(_ id: String) -> ChannelSettings {
        ChannelSettings(id: id, url: "\(server.base)/live/index.m3u8")
    }

    private func makeMonitor(_ buffer: TagBuffer) throws -> ChannelMonitor {
        ChannelMonitor(
            buffer: buffer,
            fetcher: try ResourceFetcher(
                client: HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0"))))
    }

    /// Returns the owner identifiers of the segments' tags, read as a recording.
    private func recordedOwners() async throws -> [String] {
        var owners: [String] = []
        for number in 0..<Self.segmentCount {
            var demuxer = SegmentDemuxer()
            demuxer.beginSegment()
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(Project.demo)/v360/seg0000\(number).ts"))
            try demuxer.feed(Array(data).span)
            for metadata in try demuxer.endSegment().tags {
                if let tag = NielsenTag(tagBytes: metadata.bytes.span) { owners.append(Self.owner(of: tag)) }
            }
        }
        return owners
    }

    private static func owner(of tag: NielsenTag) -> String {
        String(decoding: tag.ownerIdentifier, as: UTF8.self)
    }

    @Test func channel_fromStartToStop_storesAndReportsEachTagOfItsWindow() async throws {
        defer { server.stop() }
        let expected = try await recordedOwners()
        try #require(expected.count > 1)
        let buffer = try await TagBuffer.open(directory: folder.path + "/buffer")
        let monitor = try makeMonitor(buffer)
        #expect(monitor.channels.isEmpty)

        let events = monitor.events()
        try monitor.start([channel("news")])
        var owners: [String] = []
        for await event in events {
            guard case .tag(let tag) = event.kind else { continue }
            #expect(event.channel == "news")
            owners.append(Self.owner(of: tag.tag))
            #expect(buffer.totals().inStore >= Int64(owners.count))
            if owners.count == expected.count { break }
        }
        #expect(owners == expected)
        #expect(monitor.channels.map(\.id) == ["news"])
        #expect(monitor.channels.first?.tagCount == UInt64(expected.count))

        let rest = monitor.events()
        await monitor.stop()
        for await event in rest { if case .tag = event.kind { Issue.record("a tag was read twice") } }
        #expect(monitor.channels.isEmpty)
        #expect(buffer.totals().inStore == Int64(expected.count))

        // After a restart the channel continues after its last stored tag.
        let again = monitor.events()
        let requestCount = server.requests.count
        try monitor.start([channel("news")])
        try await wait(for: "two loads of the playlist") { server.requests.count >= requestCount + 3 }
        await monitor.stop()
        for await event in again { if case .tag = event.kind { Issue.record("a stored tag was read again") } }
        #expect(buffer.totals().inStore == Int64(expected.count))
        await buffer.close()
    }

    @Test func start_withAnotherList_followsExactlyThatList() async throws {
        defer { server.stop() }
        let buffer = try await TagBuffer.open(directory: folder.path + "/buffer")
        let monitor = try makeMonitor(buffer)
        try monitor.start([channel("one"), channel("two")])
        #expect(monitor.channels.map(\.id) == ["one", "two"])
        try monitor.start([channel("two"), channel("three")])
        #expect(monitor.channels.map(\.id) == ["three", "two"])
        await monitor.stop()
        await buffer.close()
    }

    @Test func invalidChannel_isRefusedWithoutItsAddress_andChangesNothing() async throws {
        defer { server.stop() }
        let buffer = try await TagBuffer.open(directory: folder.path + "/buffer")
        let monitor = try makeMonitor(buffer)
        try monitor.start([channel("one")])
        var badBackup = channel("two")
        badBackup.backup = "file:///secret"
        let cases: [([ChannelSettings], ChannelSettingsError)] = [
            ([channel("a b")], .invalidID("a b")),
            ([channel("")], .invalidID("")),
            ([channel("two"), channel("two")], .duplicateID("two")),
            ([ChannelSettings(id: "two", url: "/secret/index.m3u8")], .invalidAddress(id: "two")),
            ([badBackup], .invalidAddress(id: "two")),
        ]
        for (channels, error) in cases {
            #expect(throws: error) { try monitor.start(channels) }
            #expect(!error.description.contains("secret"))
            #expect(monitor.channels.map(\.id) == ["one"])
        }
        await monitor.stop()
        await buffer.close()
    }

    @Test func missingPlaylist_raisesAnAlert_thatOutlivesTheMonitor() async throws {
        defer { server.stop() }
        let buffer = try await TagBuffer.open(directory: folder.path + "/buffer")
        let monitor = try makeMonitor(buffer)
        #expect(monitor.activeAlerts.isEmpty)
        let events = monitor.events()
        let start = Int64(Date().timeIntervalSince1970 * 1_000)
        try monitor.start([ChannelSettings(id: "gone", url: "\(server.base)/live/missing.m3u8")])
        // On a loaded machine, the first load may end after the channel was reported as silent.
        var raised: Alert?
        for await event in events {
            guard case .alert(.raised(let alert), _) = event.kind, alert.check.rawValue == "playlist.http"
            else { continue }
            raised = alert
            break
        }
        let alert = try #require(raised)
        #expect(alert.scope == .channel("gone") && alert.severity == .fail)
        #expect(alert.detail.contains("404"))
        #expect(monitor.activeAlerts.contains { $0.id == alert.id })
        let channel = try #require(monitor.channels.first)
        #expect(channel.state == .unreachable && channel.problemCount > 0 && channel.alertCount > 0)
        #expect((start...Int64(Date().timeIntervalSince1970 * 1_000)).contains(channel.stateTime))
        await monitor.stop()
        let remaining = monitor.activeAlerts
        #expect(remaining.contains { $0.id == alert.id })
        #expect(try makeMonitor(buffer).activeAlerts == remaining)
        await buffer.close()
    }

    @Test func slowReader_losesTheOldestEvents_butNoBufferedTags() async throws {
        defer { server.stop() }
        let expected = try await recordedOwners().count
        let buffer = try await TagBuffer.open(directory: folder.path + "/buffer")
        let monitor = try makeMonitor(buffer)
        let unread = monitor.events(bufferingNewest: 1)
        try monitor.start([channel("news")])
        try await wait(for: "the tags") { buffer.totals().inStore == Int64(expected) }
        try await wait(for: "a dropped event") { monitor.droppedEventCount > 0 }
        await monitor.stop()
        var count = 0
        for await _ in unread { count += 1 }
        #expect(count == 1)
        await buffer.close()
    }

    @Test func releasedMonitor_endsItsEventStreams() async throws {
        defer { server.stop() }
        let buffer = try await TagBuffer.open(directory: folder.path + "/buffer")
        var monitor: ChannelMonitor? = try makeMonitor(buffer)
        let events = try #require(monitor).events()
        try monitor?.start([channel("news")])
        monitor = nil
        for await _ in events {}
        await buffer.close()
    }
}
