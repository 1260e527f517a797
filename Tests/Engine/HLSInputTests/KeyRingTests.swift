import HTTPTransfer
import TestSupport
import Testing

@testable import HLSInput

@Suite(.timeLimit(.minutes(30))) struct KeyRingTests {
    @Test func key_neededByManyTasks_isFetchedOnce() async throws {
        let server = try LoopbackServer(serving: ["/key": ServedResource("0123456789abcdef")])
        defer { server.stop() }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let ring = KeyRing(fetcher: try ResourceFetcher(client: client))
        for _ in 0...1 {
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<8 {
                    group.addTask { try await ring.key(at: .network(server.base + "/key"), policy: .any) }
                }
                for try await key in group { #expect(key == Array("0123456789abcdef".utf8)) }
            }
        }
        for _ in 0...1 {
            await #expect(throws: InputError.self) {
                _ = try await ring.key(at: .network(server.base + "/none"), policy: .any)
            }
        }
        #expect(server.requests.map(\.target) == ["/key", "/none"])
    }

    /// A channel that runs for weeks may name a new key each minute.
    @Test func keyRing_overItsLimit_dropsTheOldestKey() async throws {
        let server = try LoopbackServer { _ in [response("200 OK", "0123456789abcdef")] }
        defer { server.stop() }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let ring = KeyRing(fetcher: try ResourceFetcher(client: client))
        for number in Array(0...64) + [64, 0] {
            _ = try await ring.key(at: .network("\(server.base)/\(number)"), policy: .any)
        }
        // The sixty-fifth key displaced the first, which is fetched again.
        #expect(server.requests.map(\.target) == (Array(0...64) + [0]).map { "/\($0)" })
    }

    /// As many keys as a thousand channels with changing keys have within hours, in a separate process.
    ///
    /// Each key once took 8 kB.
    @Test(.disabled(if: isSanitized, "a sanitizer keeps what is freed"))
    func cachedKey_usesLittleMoreMemoryThanItsAddress() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let server = try LoopbackServer { _ in [response("200 OK", "0123456789abcdef")] }
            let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
            let fetcher = try ResourceFetcher(client: client)
            var rings: [KeyRing] = []
            var before = 0
            for index in 0...40 {
                // The first rings include the cost of shared resources.
                if index == 4 { before = try residentByteCount() }
                let ring = KeyRing(fetcher: fetcher)
                for key in 0..<60 {
                    _ = try await ring.key(at: .network("\(server.base)/\(index)/\(key)"), policy: .any)
                }
                rings.append(ring)
            }
            let each = (try residentByteCount() - before) / (60 * rings.dropFirst(4).count)
            print("a key: \(each) bytes of resident memory")
            precondition(each < 2_000)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}
