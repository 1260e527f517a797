import HTTPTransfer
import ID3v2
import NielsenID3
import StreamSynthesis
import Synchronization
import TestSupport
import Testing

@testable import HLSInput

/// An initialization section applies to each segment up to the next EXT-X-MAP (RFC 8216, 3.2 and 4.3.2.5).
@Suite(.timeLimit(.minutes(30))) struct InitializationScopeTests {
    private static func timescales(_ reading: InputReading) -> [UInt32?] {
        reading.readings.map { reading in
            if case .read(_, let facts) = reading.outcome { facts.earliestMediaTime?.timescale } else { nil }
        }
    }

    private static func carriesTables(_ reading: InputReading) -> [Bool] {
        reading.readings.map { reading in
            if case .read(_, let facts) = reading.outcome { !facts.programs.isEmpty } else { false }
        }
    }

    // MARK: Transport streams

    /// Without the restored tables, the packets of a segment belong to no program.
    @Test(arguments: [1, 4]) func tables_afterAnAdvertisementWithItsOwn_applyAgain(jobs: Int) async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        let (head, _) = TransportTables.split(stream[0])
        try folder.write("head.ts", head)
        for (index, name) in stream.segmentNames.enumerated() {
            try folder.write(name, TransportTables.split(stream[index]).rest)
        }
        try folder.write("ad.ts", TransportTables.other(than: head) + TransportTables.split(stream[1]).rest)
        let playlist = stream.playlist(
            header: ["#EXT-X-MAP:URI=\"head.ts\""],
            before: { [1, 2].contains($0) ? ["#EXT-X-DISCONTINUITY"] : [] },
            uri: { $0 == 1 ? "ad.ts" : stream.segmentNames[$0] })
        let reading = try await InputReading(folder.write("index.m3u8", playlist), jobs: jobs)
        #expect(reading.failures.isEmpty)
        #expect(Self.carriesTables(reading) == [true, false, true, true, true])
        #expect(
            reading.owners.filter { !stream.owners(inSegments: [1]).contains($0) }
                == stream.owners(inSegments: [0, 2, 3, 4]))
    }

    @Test func tablesOfASegment_applyFromWhereTheyStand() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        let (head, _) = TransportTables.split(stream[0])
        try folder.write("head.ts", TransportTables.other(than: head))
        for (index, name) in stream.segmentNames.enumerated() { try folder.write(name, stream[index]) }
        let playlist = stream.playlist(header: ["#EXT-X-MAP:URI=\"head.ts\""])
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(reading.owners == stream.owners)
        #expect(Self.carriesTables(reading) == [true, true, true, true, true])
    }

    // MARK: Fragmented MP4

    @Test(arguments: [1, 4]) func tracks_afterAnAdvertisementWithItsOwnMovie_applyAgain(jobs: Int)
        async throws
    {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let section = stream.files["init.mp4"] ?? []
        try folder.write("ad.m4s", InitializationTests.withTimescale(1, section) + stream[2])
        let playlist = stream.playlist(
            header: ["#EXT-X-MAP:URI=\"init.mp4\""],
            before: { [2, 3].contains($0) ? ["#EXT-X-DISCONTINUITY"] : [] },
            uri: { $0 == 2 ? "ad.m4s" : stream.segmentNames[$0] })
        let reading = try await InputReading(folder.write("p.m3u8", playlist), jobs: jobs)
        let timescales = Self.timescales(reading)
        let own = try #require(timescales.first ?? nil)
        #expect(timescales == [own, own, 1, own, own])
        #expect(reading.owners == stream.owners)
    }

    @Test func sectionsInTurn_areRequestedOnceEach() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let section = stream.files["init.mp4"] ?? []
        var site = Self.site(stream)
        site["/a.mp4"] = ServedResource(section)
        site["/b.mp4"] = ServedResource(InitializationTests.withTimescale(1, section))
        let playlist = stream.playlist(before: { ["#EXT-X-MAP:URI=\"\($0 % 2 == 0 ? "a" : "b").mp4\""] })
        site["/index.m3u8"] = ServedResource(playlist)
        let server = try LoopbackServer(serving: site)
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        let timescales = Self.timescales(reading)
        let own = try #require(timescales.first ?? nil)
        #expect(timescales == [own, 1, own, 1, own])
        #expect(server.requests.filter { $0.target.hasSuffix(".mp4") }.count == 2)
    }

    /// Some servers write EXT-X-MAP between EXTINF and the address, without a discontinuity.
    @Test func section_betweenEXTINFAndItsSegment_applies() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let section = stream.files["init.mp4"] ?? []
        try folder.write("other.mp4", InitializationTests.withTimescale(1, section))
        let playlist = stream.playlist(uri: { index in
            let map = index == 0 ? "init" : index == 2 ? "other" : nil
            return (map.map { "#EXT-X-MAP:URI=\"\($0).mp4\"\n" } ?? "") + stream.segmentNames[index]
        })
        let reading = try await InputReading(folder.write("p.m3u8", playlist))
        #expect(reading.owners == stream.owners)
        #expect(Self.timescales(reading).map { $0 == 1 } == [false, false, true, true, true])
    }

    @Test func tagInASection_thatAppliesAgain_isReturnedOnce() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let first = stream[0]
        let type = try #require(first.indices.first { first[$0...].starts(with: "emsg".utf8) })
        let size = first[type - 4..<type].reduce(0) { $0 << 8 | Int($1) }
        let section = stream.files["init.mp4"] ?? []
        try folder.write("init.mp4", section + first[type - 4..<type - 4 + size])
        try folder.write("other.mp4", section)
        let playlist = stream.playlist(
            before: { ["#EXT-X-MAP:URI=\"\($0 == 2 ? "other" : "init").mp4\""] })
        let reading = try await InputReading(folder.write("p.m3u8", playlist))
        #expect(reading.owners == [stream.owners[0]] + stream.owners)
    }

    /// A playlist of transport streams with an advertisement in fragmented MP4.
    @Test func containers_thatAlternate_keepTheirSections() async throws {
        let stream = try SyntheticStream.transport.get()
        let fragmented = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in fragmented.files { try folder.write(name, bytes) }
        let (head, _) = TransportTables.split(stream[0])
        try folder.write("head.ts", head)
        for (index, name) in stream.segmentNames.enumerated() {
            try folder.write(name, TransportTables.split(stream[index]).rest)
        }
        let playlist = stream.playlist(
            before: { index in
                let isChange = [0, 1, 2, 3, 4].contains(index)
                let map = index % 2 == 1 ? "init.mp4" : "head.ts"
                return (isChange && index > 0 ? ["#EXT-X-DISCONTINUITY"] : []) + ["#EXT-X-MAP:URI=\"\(map)\""]
            },
            uri: { $0 % 2 == 1 ? fragmented.segmentNames[$0] : stream.segmentNames[$0] })
        let reading = try await InputReading(folder.write("p.m3u8", playlist))
        #expect(reading.failures.isEmpty)
        #expect(reading.owners == stream.owners)
        #expect(Self.carriesTables(reading) == [true, false, true, false, true])
        #expect(Self.timescales(reading).allSatisfy { $0 != nil })
    }

    // MARK: Sections that fail

    /// A section that fails at first is requested again for the next segment, whatever the failure is.
    @Test(arguments: ["404 Not Found", "503 Service Unavailable", "200 HTML", "200 empty", "200 truncated"])
    func section_thatFailsAtFirst_isRequestedForTheNextSegment(answer: String) async throws {
        let stream = try SyntheticStream.fragmented.get()
        let section = stream.files["init.mp4"] ?? []
        var site = Self.site(stream)
        site["/index.m3u8"] = ServedResource(stream.playlist(header: ["#EXT-X-MAP:URI=\"init.mp4\""]))
        let count = Mutex(0)
        let resources = site
        // A failure with status 503 is retried at once.
        let failureCount = answer.hasPrefix("503") ? 2 : 1
        let server = try LoopbackServer { request in
            guard request.target == "/init.mp4" else {
                return resources[request.target]?.answer(to: request) ?? [response("404 Not Found")]
            }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > failureCount { return ServedResource(section).answer(to: request) }
            return switch answer {
            case "200 HTML": [response("200 OK", "<html>")]
            case "200 empty": [response("200 OK", "")]
            case "200 truncated":
                ServedResource(Array(section.prefix(section.count - 20))).answer(to: request)
            default: [response(answer)]
            }
        }
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.map(\.index) == [0])
        #expect(reading.failures.first?.error.subject.hasSuffix("/init.mp4") == true)
        #expect(Self.timescales(reading).dropFirst().allSatisfy { $0 != nil })
        #expect(reading.readings.allSatisfy { $0.missingInitialization == nil })
        #expect(count.withLock { $0 } == failureCount + 1)
    }

    @Test func key_thatFailsAtFirst_isRequestedForTheNextSegment() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let key = [UInt8](0x30...0x3F)
        let encrypted = try EncryptionTests.encrypt(
            stream.files["init.mp4"] ?? [], key: key, vector: [UInt8](repeating: 0, count: 15) + [1])
        var site = Self.site(stream)
        site["/init.mp4"] = ServedResource(encrypted)
        site["/index.m3u8"] = ServedResource(
            stream.playlist(header: [
                "#EXT-X-KEY:METHOD=AES-128,URI=\"key.bin\",IV=0x1", "#EXT-X-MAP:URI=\"init.mp4\"",
                "#EXT-X-KEY:METHOD=NONE",
            ]))
        let resources = site
        let count = Mutex(0)
        let server = try LoopbackServer { request in
            guard request.target == "/key.bin" else {
                return resources[request.target]?.answer(to: request) ?? [response("404 Not Found")]
            }
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? [response("404 Not Found")] : ServedResource(key).answer(to: request)
        }
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.map(\.index) == [0])
        #expect(Self.timescales(reading).dropFirst().allSatisfy { $0 != nil })
    }

    @Test func section_thatStaysMissing_countsTheSegmentsWithoutTimes() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files where name != "init.mp4" { try folder.write(name, bytes) }
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.failures.map(\.index) == [0])
        #expect(reading.readings.map { $0.missingInitialization != nil } == [false, true, true, true, true])
    }

    /// The times of the first section would be wrong.
    @Test func section_thatIsMissing_doesNotLeaveTheTracksOfTheOneBefore() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let playlist = stream.playlist(
            before: {
                $0 == 0 ? ["#EXT-X-MAP:URI=\"init.mp4\""] : $0 == 2 ? ["#EXT-X-MAP:URI=\"gone.mp4\""] : []
            })
        let reading = try await InputReading(folder.write("p.m3u8", playlist))
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.map(\.index) == [2])
        #expect(Self.timescales(reading).map { $0 != nil } == [true, true, false, false, false])
    }

    @Test func section_withAnAddressOfAnotherScheme_losesNoTag() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let playlist = stream.playlist(header: ["#EXT-X-MAP:URI=\"ftp://127.0.0.1/init.mp4\""])
        let reading = try await InputReading(folder.write("p.m3u8", playlist))
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.map(\.index) == [0])
    }

    @Test func section_withoutTablesOrMovie_isNamed() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        let section = stream.files["init.mp4"] ?? []
        try folder.write("init.mp4", Array(section.prefix(Int(section[3]))))
        let reading = try await InputReading(folder.path + "/index.m3u8")
        #expect(reading.owners == stream.owners)
        #expect(reading.failures.first?.error.reason.contains("moov") == true)
    }

    private static func site(_ stream: SyntheticStream) -> [String: ServedResource] {
        Dictionary(uniqueKeysWithValues: stream.files.map { ("/" + $0, ServedResource($1)) })
    }
}

/// The PAT and PMT of a transport stream.
enum TransportTables {
    /// Returns the first PAT and PMT of a stream, and all packets of other PIDs.
    static func split(_ bytes: [UInt8]) -> (head: [UInt8], rest: [UInt8]) {
        var tables: [Int: [UInt8]] = [:]
        var rest: [UInt8] = []
        var mapPID = -1
        for start in stride(from: 0, to: bytes.count - 187, by: 188) {
            let packet = Array(bytes[start..<start + 188])
            let pid = Self.pid(packet)
            // A PAT with one program has its PID in the bytes 10 and 11 of the section.
            if pid == 0 { mapPID = Int(packet[15] & 0x1F) << 8 | Int(packet[16]) }
            if pid == 0 || pid == mapPID {
                if tables[pid] == nil { tables[pid] = packet }
            } else {
                rest += packet
            }
        }
        return ((tables[0] ?? []) + (tables[mapPID] ?? []), rest)
    }

    /// Returns tables with the PIDs of `head`, whose PMT lists one stream of another type and PID.
    static func other(than head: [UInt8]) -> [UInt8] {
        var map = Array(head[188..<376])
        var section: [UInt8] = [
            0x02, 0xB0, 18, 0, 1, 0xC1, 0, 0, 0xE7, 0xFF, 0xF0, 0, 0x1B, 0xE7, 0xFE, 0xF0, 0,
        ]
        section[3] = map[8]
        section[4] = map[9]
        section += checksum(section)
        for index in 4..<188 { map[index] = 0xFF }
        map[3] = map[3] & 0x0F | 0x10
        map[4] = 0
        map.replaceSubrange(5..<5 + section.count, with: section)
        return Array(head[..<188]) + map
    }

    private static func pid(_ packet: [UInt8]) -> Int { Int(packet[1] & 0x1F) << 8 | Int(packet[2]) }

    /// Returns the CRC of a section (ISO/IEC 13818-1, annex A).
    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte) << 24
            for _ in 0..<8 { value = value >> 31 == 1 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }
}
