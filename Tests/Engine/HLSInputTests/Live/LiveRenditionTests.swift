import HLSPlaylist
import HTTPTransfer
import ID3v2
import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

@Suite(.timeLimit(.minutes(30))) struct LiveRenditionTests {
    @Test func channel_withASlidingWindow_yieldsEachTagOnce() async throws {
        let site = try LiveSite()
        site.list([0, 1])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        #expect(await reader.load().update.reloadDelay == .seconds(4))
        site.list([1, 2, 3])
        _ = await reader.load()
        site.list([3, 4], isEnded: true)
        let last = await reader.load()
        #expect(last.update.isEnded)
        #expect(reader.owners == site.stream.owners)
        #expect(reader.failures.isEmpty)
        let tag = try #require(reader.readings.first?.reading.tags.first)
        guard case .channel(let id, let place) = tag.origin else {
            Issue.record("not a channel's")
            return
        }
        #expect(id == "one-hd" && place.source == site.base + "/index.m3u8")
        #expect(place.mediaSequence == 100 && place.segment == site.stream.segmentNames[0])
        #expect(reader.readings.map(\.byteCount) == (0..<5).map { UInt64(site.stream[$0].count) })
        #expect(reader.readings.map(\.reading.observation.isLast) == [false, false, false, false, true])
        #expect(site.targets.filter { $0.hasPrefix("/seg") } == site.stream.segmentNames.map { "/" + $0 })
    }

    /// On a busy machine the thread waits for a processor while it processes a playlist.
    @Test func processorTime_ofALoad_excludesTheTimeThatPasses() async throws {
        let site = try LiveSite()
        site.list([0, 1])
        let clock = ManualClock()
        var reader = try await LiveReader(site.base + "/index.m3u8", clock: clock)
        clock.advanceWithEachReading(sinceBoot: .seconds(5))
        let first = await reader.load()
        #expect(first.duration >= .seconds(5) && first.processorTime == .zero)
        clock.advanceWithEachReading(processorTime: .seconds(1))
        let second = await reader.load()
        // The playlist is parsed, and compared with the last one.
        #expect(second.duration == .zero && second.processorTime == .seconds(2))
    }

    @Test func channel_monitoredAgain_resumesAfterTheLastSegmentRead() async throws {
        let site = try LiveSite()
        site.list([0, 1, 2])
        var reader = try await LiveReader(site.base + "/index.m3u8", startingAfter: 101)
        _ = await reader.load()
        #expect(reader.owners == site.stream.owners(inSegments: [2]))
    }

    /// The times of the second stream are before those of the first, and a wrap does not explain this.
    @Test func channel_whoseMediaSequenceRestarts_isReadAsADiscontinuity() async throws {
        let site = try LiveSite()
        site.list([3, 4])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        let header = ["#EXT-X-MEDIA-SEQUENCE:1"]
        site["/index.m3u8"] = ServedResource(
            site.stream.playlist(segments: [0, 1], header: header, isEnded: false))
        let load = await reader.load()
        #expect(load.update.isReset && load.segments.map(\.isContinuation) == [false, true])
        #expect(load.update.events == [.sequenceBack(newest: 104, found: 1)])
        let segments = reader.readings.compactMap(\.reading.observation.segment)
        #expect(segments.map(\.isDiscontinuity) == [false, false, true, false])
        #expect(segments.map(\.mediaSequence) == [103, 104, 1, 2])
        #expect(
            reader.owners == site.stream.owners(inSegments: 3...4) + site.stream.owners(inSegments: 0...1))
        let seconds = reader.readings.flatMap { $0.reading.tags.compactMap(\.seconds) }
        #expect(seconds.allSatisfy { $0 >= 10 && $0 < 40 })
    }

    @Test func adBreak_inThePlaylist_marksItsSegments() async throws {
        let site = try LiveSite()
        site.list([0, 1, 2], before: { [["#EXT-X-CUE-OUT:4"], [], []][$0] })
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        #expect(reader.readings.map { $0.reading.observation.segment?.isInBreak } == [true, false, false])
    }

    @Test func unchangedPlaylist_isRequestedConditionally() async throws {
        let site = try LiveSite()
        let date = "Last-Modified: Sun, 22 Nov 2026 12:00:00 GMT"
        site.list([0], headers: ["ETag: \"v1\"", date])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        let second = await reader.load()
        #expect(second.status == 304 && second.failure == nil && second.segments.isEmpty)
        #expect(second.update.reloadDelay == .seconds(2))
        let header = try #require(site.headers.last)
        #expect(header.contains("If-None-Match: \"v1\"") && header.contains("If-Modified-Since: Sun, 22 Nov"))
        site.list([0, 1], headers: ["ETag: \"v2\""])
        #expect(await reader.load().segments.count == 1)
    }

    @Test func failingPlaylist_isReportedAndRetried() async throws {
        let site = try LiveSite()
        site.list([0])
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        site["/index.m3u8"] = .status("503 Service Unavailable")
        let failed = await reader.load()
        #expect(failed.status == 503)
        #expect(failed.failure?.reason == "the server answered 503")
        #expect(failed.update.reloadDelay == .seconds(1))
        site["/index.m3u8"] = ServedResource("<html>moved</html>")
        #expect(await reader.load().failure?.reason.contains("HTML") == true)
        site.list([0, 1])
        #expect(await reader.load().segments.map(\.listed.mediaSequence) == [101])
    }

    // MARK: Addresses

    @Test func redirect_isRememberedUntilItsTargetIsGone() async throws {
        let site = try LiveSite(["/in": .redirect(to: "/a/index.m3u8")])
        let segments: (Int) -> String = { [stream = site.stream] in "/" + stream.segmentNames[$0] }
        site.list([0], at: "/a/index.m3u8", uri: segments)
        var reader = try await LiveReader(site.base + "/in")
        _ = await reader.load()
        site.list([0, 1], at: "/a/index.m3u8", uri: segments)
        #expect(await reader.load().segments.count == 1)
        #expect(site.targets.filter { $0 == "/in" }.count == 2, "once to open it, once for the first load")
        site["/a/index.m3u8"] = .status("410 Gone")
        site["/in"] = .redirect(to: "/b/index.m3u8")
        site.list([0, 1, 2], at: "/b/index.m3u8", uri: segments)
        let load = await reader.load()
        #expect(load.failure == nil && load.segments.map(\.listed.mediaSequence) == [102])
        #expect(reader.owners == site.stream.owners(inSegments: 0...2))
    }

    @Test(arguments: ["403 Forbidden", "404 Not Found", "410 Gone"])
    func expiredSession_isReopened(status: String) async throws {
        let site = try LiveSite()
        func open(session: String) -> ServedResource {
            ServedResource(
                """
                #EXTM3U
                #EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360
                high.m3u8?session=\(session)
                #EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=320x180
                low.m3u8?session=\(session)

                """)
        }
        site["/master.m3u8"] = open(session: "1")
        site.list([0], at: "/low.m3u8?session=1")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        _ = await reader.load()
        #expect(reader.readings.first?.reading.tags.first?.origin.place.renditions == ["low.m3u8?session=1"])
        site["/low.m3u8?session=1"] = .status(status)
        site["/master.m3u8"] = open(session: "2")
        site.list([0, 1], at: "/low.m3u8?session=2")
        let load = await reader.load()
        #expect(load.failure == nil && load.segments.map(\.listed.mediaSequence) == [101])
        // If the multivariant playlist fails too, its failure is reported.
        site["/low.m3u8?session=2"] = .status(status)
        site["/master.m3u8"] = .status("500 Internal Server Error")
        let failed = await reader.load()
        #expect(failed.failure?.message == site.base + "/master.m3u8: the server answered 500")
        #expect(failed.status == Int(status.prefix(3)))
    }

    @Test func header_isSentOnlyToTheChannelsHost() async throws {
        let other = try LiveSite()
        other["/" + other.stream.segmentNames[1]] = .status("404 Not Found")
        let site = try LiveSite()
        let names = site.stream.segmentNames
        site.list([0, 1, 2], uri: { $0 == 0 ? names[0] : other.base + "/" + names[$0] })
        site["/" + names[0]] = .redirect(to: other.base + "/" + names[0])
        site["/in"] = .redirect(to: "/index.m3u8")
        var reader = try await LiveReader(site.base + "/in", headers: [("X-Token", "secret-1")])
        _ = await reader.load()
        #expect(site.headers.allSatisfy { $0.contains("X-Token: secret-1") })
        #expect(site.targets == ["/in", "/index.m3u8", "/in", "/index.m3u8", "/" + names[0]])
        #expect(other.targets == names[0...2].map { "/" + $0 })
        #expect(!other.headers.contains { $0.contains("secret-1") })
        #expect(reader.failures.count == 1)
        #expect(!"\(reader.readings)\(reader.failures)".contains("secret-1"))
        #expect(reader.owners == site.stream.owners(inSegments: [0, 2]))
    }

    @Test func header_thatCannotBeSent_isNamedWithoutItsValue() async throws {
        let site = try LiveSite()
        await #expect {
            _ = try await LiveReader(site.base + "/index.m3u8", headers: [("X-Token", "sec\u{7F}ret")])
        } throws: { error in
            "\(error)".contains("X-Token") && !"\(error)".contains("ret\"") && !"\(error)".contains("sec")
        }
    }

    @Test func redirectLoop_failsAfterFiveRedirects() async throws {
        let site = try LiveSite(["/in": .redirect(to: "/in")])
        await #expect {
            _ = try await LiveReader(site.base + "/in", headers: [("X-Token", "t")])
        } throws: { error in
            (error as? InputError)?.reason.contains("the redirect was not followed") == true
        }
        #expect(site.targets.count == 6)
    }

    @Test func address_thatIsNotAPlaylist_cannotBeOpened() async throws {
        let site = try LiveSite(["/page": ServedResource("<html></html>")])
        for url in [site.base + "/page", site.base + "/none", "/etc/hostname", "ftp://a/b"] {
            await #expect(throws: InputError.self) { _ = try await LiveReader(url) }
        }
    }

    // MARK: Segments

    @Test func failedSegment_isReported_andTheNextIsRead() async throws {
        let site = try LiveSite()
        site.list([0, 1, 2], before: { $0 == 2 ? ["#EXT-X-GAP"] : [] })
        site["/" + site.stream.segmentNames[0]] = .status("404 Not Found")
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        #expect(
            reader.failures == [site.stream.segmentNames[0] + ": the server answered 404"]
                || reader.failures.first?.hasSuffix("the server answered 404") == true)
        #expect(reader.owners == site.stream.owners(inSegments: [1]))
        guard case .gap = reader.readings[2].reading.outcome else {
            Issue.record("a gap was read")
            return
        }
    }

    /// A server that sends one byte and then stalls takes four target durations in total, including retries.
    @Test func segment_thatStalls_failsAfterFourTargetDurations() async throws {
        let stream = try SyntheticStream.transport.get()
        let names = stream.segmentNames
        let server = try LoopbackServer { request in
            if request.target == "/" + names[0] {
                return [.send("HTTP/1.1 200 OK\r\nContent-Length: 188\r\n\r\nG"), .hang]
            }
            if request.target == "/" + names[1] { return ServedResource(stream[1]).answer(to: request) }
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(names[0])\n#EXTINF:1,\n\(names[1])\n"
            return ServedResource(text).answer(to: request)
        }
        defer { server.stop() }
        var reader = try await LiveReader(server.base + "/index.m3u8")
        let start = ContinuousClock.now
        _ = await reader.load()
        #expect(start.duration(to: .now) > .seconds(3))
        #expect(reader.failures.count == 1)
        #expect(server.requests.filter { $0.target == "/" + names[0] }.count <= 2)
        #expect(reader.readings.first.map { $0.duration > .seconds(3) && $0.duration < .seconds(60) } == true)
        #expect(reader.owners == stream.owners(inSegments: [1]))
    }

    /// The time limit of a segment is four target durations; the target durations themselves are limited.
    @Test(arguments: [(0, 1), (1, 1), (4, 4), (149, 149), (150, 150), (151, 150), (100_000, 150)])
    func timeLimits_followTheTargetDuration(target: Int, used: Int) async throws {
        let site = try LiveSite()
        let text = site.stream.playlist(segments: [0], header: [], isEnded: false)
        let lines = text.split(separator: "\n").map {
            $0.hasPrefix("#EXT-X-TARGETDURATION:") ? "#EXT-X-TARGETDURATION:\(target)" : String($0)
        }
        site["/index.m3u8"] = ServedResource(lines.joined(separator: "\n") + "\n")
        var reader = try await LiveReader(site.base + "/index.m3u8")
        let load = await reader.load()
        #expect(load.segments.map(\.targetSeconds) == [used])
        #expect(reader.rendition.reader.reader.fetcher.limits.maximumSegmentSeconds == 4 * used)
    }

    @Test(arguments: [(1, 10), (5, 10), (6, 12), (29, 58), (30, 60), (31, 60), (150, 60)])
    func timeLimitOfAPlaylist_isTwoTargetDurations_fromTenSecondsToAMinute(target: Int, limit: Int) {
        #expect(LiveRendition.playlistSeconds(targetSeconds: target) == limit)
    }

    /// The segments that follow left-out ones do not continue those before.
    @Test func segments_afterThoseLeftOut_areNoContinuation() async throws {
        let site = try LiveSite()
        site.list([0, 1])
        let reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.rendition.load(at: .zero, jitter: 1)
        site.list([1, 2, 3, 4])
        var load = await reader.rendition.load(at: .seconds(10), jitter: 1)
        #expect(load.segments.map(\.isContinuation) == [true, true, true])
        let dropsNone = !load.keepNewest(3)
        #expect(dropsNone && load.segments.map(\.isContinuation) == [true, true, true])
        let dropsOne = load.keepNewest(2)
        #expect(dropsOne)
        #expect(load.segments.map(\.isContinuation) == [false, true])
    }

    /// There is memory for two of the listed segments.
    @Test func segments_afterThoseWithoutMemory_areNoContinuation() async throws {
        let site = try LiveSite()
        site.list([0])
        let sizes = [0, 1, 2].map {
            MediaSegment(uri: site.stream.segmentNames[$0], duration: 6, mediaSequence: $0)
        }
        let byteCount = (1...).lazy.map { $0 * 50 }.first {
            SegmentMemory(maximumByteCount: $0).reserve(sizes).count == 2
        }
        let reader = try await LiveReader(
            site.base + "/index.m3u8", segmentListByteCount: try #require(byteCount))
        _ = await reader.rendition.load(at: .zero, jitter: 1)
        site.list([0, 1, 2, 3])
        let load = await reader.rendition.load(at: .seconds(10), jitter: 1)
        #expect(load.isShortened)
        #expect(load.segments.map(\.isContinuation) == [false, true])
    }

    @Test func key_thatCouldNotBeFetched_isRequestedAgain() async throws {
        let site = try LiveSite()
        let key = [UInt8](repeating: 7, count: 16)
        let vector = [UInt8](repeating: 0, count: 15) + [1]
        for index in 0...1 {
            site["/" + site.stream.segmentNames[index]] = ServedResource(
                try EncryptionTests.encrypt(site.stream[index], key: key, vector: vector))
        }
        let line = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x00000000000000000000000000000001"
        site.list([0], before: { _ in [line] })
        var reader = try await LiveReader(site.base + "/index.m3u8")
        _ = await reader.load()
        #expect(reader.failures.count == 1 && reader.owners.isEmpty)
        site["/key"] = ServedResource(key)
        site.list([0, 1], before: { _ in [line] })
        _ = await reader.load()
        #expect(reader.owners == site.stream.owners(inSegments: [1]))
    }

    @Test func key_ofALateSegment_isRequestedWithEachReading() async throws {
        let site = try LiveSite()
        let key = [UInt8](repeating: 7, count: 16)
        let vector = [UInt8](repeating: 0, count: 15) + [1]
        site["/" + site.stream.segmentNames[1]] = ServedResource(
            try EncryptionTests.encrypt(site.stream[1], key: key, vector: vector))
        let line = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x00000000000000000000000000000001"
        site.list([1], before: { _ in [line] })
        let rendition = try await LiveReader(site.base + "/index.m3u8").rendition
        let segment = try #require(await rendition.load(at: .zero, jitter: 0).segments.first)
        let first = await rendition.attempt(segment) { _ in false }.live
        rendition.pass(segment)
        let second = await rendition.readLate(segment, from: first)
        #expect(first.isMissing && second.isMissing)
        site["/key"] = ServedResource(key)
        let third = await rendition.readLate(segment, from: first)
        #expect(third.failure == nil && !third.reading.tags.isEmpty)
    }

    // MARK: Memory

    /// Many channels that have read two segments each and wait for the next, in a separate process.
    ///
    /// Each of a thousand such channels took 11 kB.
    @Test func channel_betweenSegments_usesOnlyKilobytes() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let count = 300
            let site = try LiveSite()
            site.list([0, 1])
            let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
            let fetcher = try ResourceFetcher(client: client)
            var renditions: [LiveRendition] = []
            var before = 0
            for index in 0..<count + 20 {
                // The first channels include the cost of shared resources.
                if index == 20 { before = try residentByteCount() }
                let input = LiveInput(channel: "c\(index)", url: site.base + "/index.m3u8", fetcher: fetcher)
                let rendition = LiveRendition(try await input.open(.lowest)[0], of: input)
                let load = await rendition.load(at: .zero, jitter: 0)
                for segment in load.segments { _ = await rendition.read(segment) }
                renditions.append(rendition)
            }
            let each = (try residentByteCount() - before) / renditions.dropFirst(20).count
            print("an idle channel: \(each) bytes of resident memory")
            precondition(each < 100_000)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}
