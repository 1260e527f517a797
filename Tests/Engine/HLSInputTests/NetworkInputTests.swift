import ID3v2
import NielsenID3
import StreamSynthesis
import Synchronization
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

@Suite(.timeLimit(.minutes(30))) struct NetworkInputTests {
    /// Returns the files of a stream by path, with other resources added or replaced.
    static func site(
        _ stream: SyntheticStream, _ others: [String: ServedResource] = [:]
    ) -> [String: ServedResource] {
        var site: [String: ServedResource] = [:]
        for (name, bytes) in stream.files { site["/" + name] = ServedResource(bytes) }
        return site.merging(others) { $1 }
    }

    @Test func networkSegment_withAnyName_isRead() async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try LoopbackServer(serving: ["/x.html?t=1": ServedResource(stream[0])])
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/x.html?t=1")
        #expect(!stream.owners(inSegments: 0...0).isEmpty)
        #expect(reading.owners == stream.owners(inSegments: 0...0))
        let origin = try #require(reading.tags.first?.origin)
        #expect(origin.place.source == server.base + "/x.html?t=1")
        #expect(
            origin.place.segment == nil && origin.place.mediaSequence == nil
                && origin.place.renditions.isEmpty)
    }

    @Test func networkPlaylist_isReadWithOneRequestPerResource() async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try LoopbackServer(serving: Self.site(stream))
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.notes.isEmpty)
        #expect(
            reading.tags.map(\.origin.place.mediaSequence)
                == stream.tags.map { UInt64(stream.segment(of: $0)) })
        #expect(
            reading.tags.map(\.origin.place.segment)
                == stream.tags.map { stream.segmentNames[stream.segment(of: $0)] }
        )
        #expect(server.requests.map(\.target) == ["/index.m3u8"] + stream.segmentNames.map { "/" + $0 })
    }

    @Test(arguments: ["302 Found", "307 Temporary Redirect"])
    func references_afterARedirect_areRelativeToItsTarget(status: String) async throws {
        let stream = try SyntheticStream.transport.get()
        var site: [String: ServedResource] = ["/in": .redirect(to: "/a/b/index.m3u8", status: status)]
        for (name, bytes) in stream.files { site["/a/b/" + name] = ServedResource(bytes) }
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        #expect(try await InputReading(server.base + "/in").owners == stream.owners)
    }

    @Test func playlist_compressedWithGzip_isRead() async throws {
        let stream = try SyntheticStream.transport.get()
        let compressed = ServedResource(gzip(stream.files["index.m3u8"] ?? []))
            .with { $0.headers = ["Content-Encoding: gzip"] }
        let server = try LoopbackServer(serving: Self.site(stream, ["/index.m3u8": compressed]))
        defer { server.stop() }
        #expect(try await InputReading(server.base + "/index.m3u8").owners == stream.owners)
    }

    @Test func body_inTinyPieces_yieldsTheSameTags() async throws {
        let stream = try SyntheticStream.transport.get()
        var site = Self.site(stream)
        for path in site.keys { site[path]?.chunkByteCount = 61 }
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        #expect(try await InputReading(server.base + "/index.m3u8").owners == stream.owners)
    }

    /// All segments are consecutive ranges of one resource; the server serves the ranges, or sends the entire resource
    /// for each.
    @Test(arguments: [true, false])
    func byteRanges_servedOrIgnored_yieldTheSameTags(servesRanges: Bool) async throws {
        let stream = try SyntheticStream.transport.get()
        let whole = stream.segmentNames.indices.flatMap { stream[$0] }
        let playlist = stream.playlist(
            before: { ["#EXT-X-BYTERANGE:\(stream[$0].count)" + ($0 == 0 ? "@0" : "")] },
            uri: { _ in "all.ts" })
        let server = try LoopbackServer(serving: [
            "/index.m3u8": ServedResource(playlist),
            "/all.ts": ServedResource(whole).with { $0.servesRanges = servesRanges },
        ])
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.isEmpty)
        let byteCounts = reading.readings.map { reading -> UInt64 in
            if case .read(let count, _) = reading.outcome { count } else { 0 }
        }
        #expect(byteCounts == stream.segmentNames.indices.map { UInt64(stream[$0].count) })
    }

    @Test func byteRange_beyondTheEndOfAResource_isAnErrorAndYieldsTheAvailableTags() async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = stream.playlist(
            segments: [0, 1],
            before: { ["#EXT-X-BYTERANGE:\(stream[$0].count + 10)@\($0 == 0 ? 0 : 1 << 40)"] },
            uri: { _ in "seg.ts" })
        let server = try LoopbackServer(serving: [
            "/index.m3u8": ServedResource(playlist), "/seg.ts": ServedResource(stream[0]),
        ])
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners(inSegments: [0]))
        #expect(reading.failures.map(\.index) == [0, 1])
        #expect(reading.failures.first?.error == .truncatedByteRange("seg.ts"))
        #expect(reading.failures.last?.error.message.contains("416") == true)
    }

    /// A part that begins at another offset than requested would return the tags of other bytes.
    @Test(arguments: ["#EXT-X-BYTERANGE:1000@376", ""])
    func partialResponse_withAnotherOffset_isRejected(range: String) async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = stream.playlist(segments: [0], before: { _ in range.isEmpty ? [] : [range] })
        let bytes = stream[0]
        let server = try LoopbackServer { request in
            if request.target == "/index.m3u8" { return ServedResource(playlist).answer(to: request) }
            let head = [
                "HTTP/1.1 206 Partial Content", "Content-Length: 1000",
                "Content-Range: bytes 564-1563/\(bytes.count)",
            ]
            return [
                .send(head.joined(separator: "\r\n") + "\r\n\r\n"), .sendBytes(Array(bytes[564..<1_564])),
            ]
        }
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.readSegments.isEmpty && reading.tags.isEmpty)
        #expect(reading.failures.first?.error.message.contains("a different byte range") == true)
    }

    @Test func missingSegment_isReported_andTheOthersAreRead() async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try LoopbackServer(
            serving: Self.site(stream, ["/seg00002.ts": .status("404 Not Found")]))
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.readSegments == [0, 1, 3, 4])
        #expect(Set(reading.owners) == Set(stream.owners(inSegments: [0, 1, 3, 4])))
        let message = try #require(reading.failures.first?.error.message)
        #expect(message.contains("seg00002.ts") && message.contains("404"))
    }

    /// Returns a server whose first response to a segment breaks after the first tag; `second` is its next response.
    private static func breakingServer(
        _ stream: SyntheticStream, headers: [String] = ["ETag: \"1\""], second: ServedResource?
    ) throws -> LoopbackServer {
        let bytes = stream[0]
        let owner = Array((stream.tags.first?.ownerIdentifier ?? "").utf8.prefix(60))
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: owner) })
        let first = ServedResource(bytes).with {
            $0.breaksAfter = place + 3 * 188
            $0.headers = headers
        }
        let segmentRequestCount = Mutex(0)
        let playlist = ServedResource(stream.playlist(segments: [0, 1], uri: { "\($0).ts" }))
        let next = ServedResource(stream[1])
        return try LoopbackServer { request in
            switch request.target {
            case "/index.m3u8": return playlist.answer(to: request)
            case "/1.ts": return next.answer(to: request)
            default:
                let count = segmentRequestCount.withLock { count in
                    count += 1
                    return count
                }
                return count == 1 ? first.answer(to: request) : second?.answer(to: request) ?? [.close]
            }
        }
    }

    @Test func interruptedSegment_yieldsTheTagsBeforeTheInterruption() async throws {
        let stream = try SyntheticStream.transport.get()
        let server = try Self.breakingServer(stream, second: nil)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.readSegments == [1])
        #expect(reading.owners.first == stream.owners.first)
        #expect(reading.owners.count == 1 + stream.owners(inSegments: [1]).count)
        #expect(reading.failures.map(\.error.isRetriable) == [true])
    }

    /// The server sends the rest, or the entire segment again.
    @Test(arguments: [true, false])
    func segment_interruptedOnce_isResumed(servesRanges: Bool) async throws {
        let stream = try SyntheticStream.transport.get()
        let again = ServedResource(stream[0]).with {
            $0.servesRanges = servesRanges
            $0.headers = ["ETag: \"1\""]
        }
        let server = try Self.breakingServer(stream, second: again)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.failures.isEmpty)
        #expect(reading.owners == stream.owners(inSegments: [0, 1]))
        guard case .read(let byteCount, let facts) = reading.readings.first?.outcome else { return }
        #expect(byteCount == UInt64(stream[0].count))
        #expect(facts.continuityErrors.count == 0)
        #expect(server.requests.contains { $0.target == "/0.ts" && $0.range?.upperBound == .max })
    }

    /// The request for the rest ends where the byte range of the playlist does, and the rest is that of the range.
    @Test(arguments: [true, false])
    func byteRange_interruptedOnce_isResumedWithinIt(servesRanges: Bool) async throws {
        let stream = try SyntheticStream.transport.get()
        let (junk, bytes) = ([UInt8](repeating: 0xFF, count: 188 * 10), stream[0])
        let range = junk.count..<junk.count + bytes.count
        let whole = junk + bytes + junk
        let broken = ServedResource(whole).with {
            $0.breaksAfter = junk.count + 188 * 20
            $0.servesRanges = false
        }
        let again = ServedResource(whole).with { $0.servesRanges = servesRanges }
        let requestCount = Mutex(0)
        let playlist = ServedResource(
            stream.playlist(
                segments: [0], before: { _ in ["#EXT-X-BYTERANGE:\(range.count)@\(range.lowerBound)"] },
                uri: { _ in "0.ts" }))
        let server = try LoopbackServer { request in
            if request.target == "/index.m3u8" { return playlist.answer(to: request) }
            let isFirst = requestCount.withLock { count in
                count += 1
                return count == 1
            }
            return (isFirst ? broken : again).answer(to: request)
        }
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.failures.isEmpty, "\(reading.failures)")
        #expect(reading.owners == stream.owners(inSegments: [0]))
        guard case .read(let byteCount, _) = reading.readings.first?.outcome else { return }
        #expect(byteCount == UInt64(bytes.count))
        let ranges = server.requests.filter { $0.target == "/0.ts" }.compactMap(\.range)
        #expect(ranges.map(\.upperBound) == [range.upperBound - 1, range.upperBound - 1], "\(ranges)")
        #expect(ranges.map(\.lowerBound) == [range.lowerBound, range.lowerBound + 188 * 20], "\(ranges)")
    }

    /// Only one of the header fields may show that the rest is of another version; an interruption after the first
    /// one ends the segment.
    @Test func segment_isNotResumed_fromAnotherVersion_orTwice() async throws {
        let stream = try SyntheticStream.transport.get()
        let date = { (second: Int) in "Last-Modified: Fri, 20 Nov 2026 10:00:0\(second) GMT" }
        for (field, other) in [(date(1), date(2)), (date(1), "X-Other: 1"), ("ETag: \"1\"", date(1))] {
            let second = ServedResource(stream[0]).with { $0.headers = [other] }
            let server = try Self.breakingServer(stream, headers: [field], second: second)
            defer { server.stop() }
            let reading = try await InputReading(server.base + "/index.m3u8")
            #expect(reading.failures.map(\.index) == [0], "\(field) \(other)")
        }
        let broken = ServedResource(stream[0]).with {
            $0.headers = ["ETag: \"1\""]
            $0.breaksAfter = 188 * 40
        }
        let server = try Self.breakingServer(stream, second: broken)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.failures.map(\.index) == [0])
        #expect(server.requests.count { $0.target == "/0.ts" } == 2)
    }

    /// A segment has its own time limit, in addition to the limit on stalls.
    @Test func segment_thatTakesLongerThanItsLimit_fails() async throws {
        let server = try LoopbackServer { request in
            guard request.target == "/0.ts" else {
                return [
                    response("200 OK", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n0.ts\n#EXT-X-ENDLIST\n")
                ]
            }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: 188\r\n\r\nG"), .hang]
        }
        defer { server.stop() }
        var limits = InputLimits()
        limits.maximumSegmentSeconds = 1
        let error = try #require(
            try await InputReading(server.base + "/index.m3u8", limits: limits).failures.first?.error)
        #expect(error.message.contains("timed out after"), "\(error.message)")
    }

    /// The server sends a byte from time to time, so that only the limit of the whole transfer applies.
    @Test(arguments: ["/index.m3u8", "/key"])
    func playlistOrKey_thatNeverEnds_failsAtItsLimit(target: String) async throws {
        let lines = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:6", "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"", "#EXTINF:6,",
            "0.ts",
            "#EXT-X-ENDLIST", "",
        ]
        let server = try LoopbackServer { request in
            if request.target == target {
                return [.send("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n#EXTM3U\n"), .drip("#")]
            }
            let body = request.target == "/0.ts" ? String(repeating: "x", count: 188) : nil
            return [response("200 OK", body ?? lines.joined(separator: "\n"))]
        }
        defer { server.stop() }
        var limits = InputLimits()
        #expect(limits.maximumPlaylistSeconds == 60 && limits.maximumKeySeconds == 30)
        limits.maximumPlaylistSeconds = target == "/key" ? 86_400 : 1
        limits.maximumKeySeconds = target == "/key" ? 1 : 86_400
        var message = ""
        do {
            let reading = try await InputReading(server.base + "/index.m3u8", limits: limits)
            message = reading.failures.first?.error.message ?? "it was read"
        } catch let error as InputError {
            message = error.message
        }
        #expect(message.contains("timed out after"), "\(message)")
    }

    @Test func segment_changedAfterAnInterruption_isNotSpliced() async throws {
        let stream = try SyntheticStream.transport.get()
        let other = ServedResource(stream[2]).with { $0.headers = ["ETag: \"2\""] }
        let server = try Self.breakingServer(stream, second: other)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.failures.map(\.index) == [0])
        #expect(reading.owners == [stream.owners[0]] + stream.owners(inSegments: [1]))
    }

    @Test(arguments: ["503 Busy", "500 Oops", "429 Too Many Requests", "408 Request Timeout"])
    func temporaryServerError_isRetried_andNotFoundIsNot(status: String) async throws {
        let stream = try SyntheticStream.transport.get()
        let askedCount = Mutex(0)
        let body = stream[0]
        let server = try LoopbackServer { request in
            guard request.target == "/seg.ts" else { return [response("404 Not Found")] }
            let isFirst = askedCount.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { return [response(status)] }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"), .sendBytes(body)]
        }
        defer { server.stop() }
        #expect(try await InputReading(server.base + "/seg.ts").owners == stream.owners(inSegments: [0]))
        await #expect(throws: InputError.self) { try await InputReading(server.base + "/other.ts") }
        #expect(server.requests.filter { $0.target == "/other.ts" }.count == 1)
    }
}
