import Foundation
import HLSInput
import HTTPTransfer
import HostSystem
import NielsenID3
import StreamHealth
import Synchronization
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor
@testable import StreamSynthesis

/// A monitor beside hostile servers: no response for one channel may harm another channel.
///
/// `DTVR_LIVE_SECONDS` is the time during which rounds start, and `DTVR_LIVE_SEED` is the seed of the first round.
/// Scripts/live-fuzz.sh sets both. A failed round states its seed.
@Suite(.timeLimit(.minutes(120))) struct LiveSequenceTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["DTVR_LIVE_SECONDS"].flatMap { Int($0) } ?? 1
    private static let firstSeed = environment["DTVR_LIVE_SEED"].flatMap { UInt64($0) } ?? 1

    /// The duration of a round, by the clock of the channels.
    private static let roundTime = Duration.seconds(120)

    /// The memory limit of the process with forty channels, without a sanitizer.
    private static let maximumResidentByteCount = 1_500_000_000

    @Test func channelsWithRandomResponses_costOtherChannelsNoTag() async throws {
        // As in the tool: otherwise each of many threads has a malloc arena that retains freed memory.
        HostMemory.useFewArenas()
        let start = ContinuousClock.now
        var seed = Self.firstSeed
        repeat {
            try await Self.round(seed: seed)
            seed += 1
        } while start.duration(to: .now) < .seconds(Self.seconds)
        print("live sequences: seeds \(Self.firstSeed) to \(seed - 1), \(Self.roundTime) each")
    }

    @Test func faultyServers_costNoTagThatWasAvailable() async throws {
        HostMemory.useFewArenas()
        let start = ContinuousClock.now
        var seed = Self.firstSeed
        var count = 0
        repeat {
            count += try await Self.faultyRound(seed: seed)
            seed += 1
        } while start.duration(to: .now) < .seconds(Self.seconds)
        print("faulty servers: seeds \(Self.firstSeed) to \(seed - 1), \(count) segments")
    }

    private static func channels(_ site: LiveSequenceSite, seed: UInt64) -> [ChannelSettings] {
        var random = SplitMix64(seed: seed, stream: 0x434F_4E46)
        let choices: [FollowedRendition] = [.automatic, .chosen(.lowest), .chosen(.all), .chosen(.audio)]
        let healthy = (1...LiveSequenceSite.healthyCount).map {
            ChannelSettings(id: "healthy\($0)", url: site.healthyAddress($0))
        }
        let others = (1...LiveSequenceSite.randomCount).map { number in
            var channel = ChannelSettings(id: "random\(number)", url: site.randomAddress(number))
            channel.rendition = choices.randomElement(using: &random) ?? .automatic
            if number.isMultiple(of: 4) {
                channel.backup = site.randomAddress(
                    .random(in: 1...LiveSequenceSite.randomCount, using: &random))
                channel.comparesBackup = Bool.random(using: &random)
            }
            return channel
        }
        return healthy + others
    }

    private static func round(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let site = try LiveSequenceSite(seed: seed)
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        defer { client.close() }
        let fetcher = try ResourceFetcher(client: client, jobs: 2)
        let buffer = try await TagBuffer.open(
            directory: folder.path + "/store", settings: StoreSettings(maximumByteCount: 200_000_000),
            clock: site.clock)
        let owners = Mutex<[String: [String]]>([:])
        let problems = Mutex<[String]>([])
        let services = MonitorServices(fetcher: fetcher, buffer: buffer, clock: site.clock) { _ in }
        let monitor = LiveMonitor(
            services, alerts: AlertPipeline(AlertStore(path: folder.path + "/alerts.json"))
        ) {
            event in
            guard let channel = event.channel, channel.hasPrefix("healthy") else { return }
            if case .finding(.playlistHTTP, let finding) = event.kind, finding.detail.contains("timed out"),
                let number = Int(channel.drop { $0.isLetter })
            {
                site.noteTimeout(of: number)
            }
            guard case .tag(let tag) = event.kind else {
                return problems.withLock { $0.append("\(channel): \(event.kind)") }
            }
            owners.withLock {
                $0[channel, default: []].append(String(decoding: tag.tag.ownerIdentifier, as: UTF8.self))
            }
        }
        monitor.follow(channels(site, seed: seed))
        let running = Task { await monitor.run() }
        while site.time < roundTime {
            // A load that times out on a starved machine is repeated, and that requires the clock to advance. The round
            // therefore continues after a second if a channel has only just fallen behind.
            do {
                try await wait(for: "all segments", within: .seconds(1)) { site.lagging(by: .zero).isEmpty }
            } catch {}
            // Other channels may wait for their servers, but these must continue, however busy the machine is.
            do {
                try await wait(for: "the healthy channels") { site.lagging(by: .seconds(15)).isEmpty }
            } catch {
                let stuck = site.lagging(by: .seconds(15))
                let last = stuck.flatMap { number in
                    let events = problems.withLock { $0.filter { $0.hasPrefix("healthy\(number): ") } }
                    return [site.state(of: number)] + events.suffix(5)
                }
                Issue.record("seed \(seed): stuck at \(site.time)\n\(last.joined(separator: "\n"))")
                break
            }
            site.clock.advance(by: .milliseconds(500))
        }
        running.cancel()
        await running.value
        try await check(site, owners.withLock { $0 }, in: buffer, seed: seed)
        await buffer.close()
    }

    /// Follows faulty channels, and returns the number of segments whose tags had to be stored.
    private static func faultyRound(seed: UInt64) async throws -> Int {
        let folder = try TemporaryFolder()
        let site = try FaultySite(seed: seed)
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        defer { client.close() }
        let buffer = try await TagBuffer.open(
            directory: folder.path + "/store", settings: StoreSettings(maximumByteCount: 200_000_000),
            clock: site.clock)
        let services = MonitorServices(
            fetcher: try ResourceFetcher(client: client, jobs: 2), buffer: buffer, clock: site.clock
        ) { _ in }
        let monitor = LiveMonitor(
            services, alerts: AlertPipeline(AlertStore(path: folder.path + "/alerts.json"))
        ) { _ in }
        monitor.follow(site.channels)
        let running = Task { await monitor.run() }
        // Each channel sleeps once it has done everything that is due, and so does the monitor itself.
        let sleeperCount = FaultySite.channelCount + 1
        while site.time < roundTime {
            do {
                try await wait(for: "the faulty channels", within: .seconds(120)) {
                    site.clock.sleeperCount >= sleeperCount
                }
            } catch {
                Issue.record(
                    "seed \(seed): \(site.clock.sleeperCount) of \(sleeperCount) sleep at \(site.time)")
                break
            }
            site.advance(by: .milliseconds(500))
        }
        running.cancel()
        await running.value
        let kept = try await owners(in: buffer)
        var count = 0
        for number in 1...FaultySite.channelCount {
            let stored = kept["faulty\(number)"] ?? []
            count += site.requiredCount(of: number)
            let losses = try site.losses(of: number, stored: Set(stored))
            let state = "seed \(seed): \(site.state(of: number))"
            #expect(losses.isEmpty, "\(state) lost tags of \(losses.joined(separator: "; "))")
            #expect(Set(stored).count == stored.count, "\(state) has a tag twice")
            if let file = environment["DTVR_LIVE_LOG"], !losses.isEmpty || Set(stored).count != stored.count {
                try site.requests(of: number).write(
                    toFile: "\(file)-\(seed)-\(number)", atomically: false, encoding: .utf8)
            }
        }
        await buffer.close()
        return count
    }

    private static func check(
        _ site: LiveSequenceSite, _ told: [String: [String]], in buffer: TagBuffer, seed: UInt64
    ) async throws {
        let kept = try await owners(in: buffer)
        for number in 1...LiveSequenceSite.healthyCount {
            let id = "healthy\(number)"
            let expected = try site.owners(of: number)
            let stored = kept[id] ?? []
            let missing = Set(expected).subtracting(stored).count
            #expect(
                !expected.isEmpty && missing == 0, "seed \(seed): \(id) lost \(missing) of \(expected.count)")
            #expect(Set(stored).count == stored.count, "seed \(seed): \(id) has a tag twice")
            #expect(told[id]?.count == stored.count, "seed \(seed): \(id)")
        }
        #expect(buffer.losses().total == 0, "seed \(seed)")
        guard !isSanitized else { return }
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        let resident = (fields.dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
        #expect(resident < maximumResidentByteCount, "seed \(seed)")
    }

    /// Returns the owner identifiers of the stored tags, by channel.
    private static func owners(in buffer: TagBuffer) async throws -> [String: [String]] {
        var kept: [String: [String]] = [:]
        var last: Int64 = 0
        while true {
            let tags = try await buffer.tags(after: last, maximumCount: 1_000)
            guard let end = tags.last else { break }
            for tag in tags {
                let record = try StoredBody.decode(tag.body.span)
                guard case .channel(let id, _) = record.origin else { continue }
                kept[id, default: []].append(String(decoding: record.tag.ownerIdentifier, as: UTF8.self))
            }
            last = end.sequence
        }
        return kept
    }

    /// Whether the tests run under a sanitizer, which retains freed memory.
    private static let isSanitized: Bool = {
        let names: [String] = ["__asan_init", "__tsan_init"]
        // The symbols are only looked up, not called.
        return names.contains { name in unsafe dlsym(nil, name) != nil }
    }()
}
