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
@testable import TagDelivery

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

    /// The time after a round in which a load that timed out on a starved machine is repeated.
    private static let repeatTime = Duration.seconds(20)

    /// The memory limit of the process with forty channels, without a sanitizer.
    private static let maximumResidentByteCount = 1_500_000_000

    @Test func channelsWithRandomResponses_costOtherChannelsNoTag() async throws {
        // As in the tool: otherwise each of many threads has a malloc arena that retains freed memory.
        ProcessFacts.keepLittleUnusedMemory()
        let start = ContinuousClock.now
        var seed = Self.firstSeed
        repeat {
            try await Self.round(seed: seed)
            seed += 1
        } while start.duration(to: .now) < .seconds(Self.seconds)
        print("live sequences: seeds \(Self.firstSeed) to \(seed - 1), \(Self.roundTime) each")
    }

    @Test func faultyServers_costNoTagThatWasAvailable() async throws {
        ProcessFacts.keepLittleUnusedMemory()
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
        let conditions = RoundConditions(seed: seed)
        let site = try LiveSequenceSite(seed: seed, isFlooded: conditions.isFlooded)
        let path = folder.path + "/store"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let disk = conditions.fullDisk == nil ? nil : SmallDisk(at: path, byteCount: 64 << 20)
        let told = Mutex<[String: Int]>([:])
        var neighbor = BufferNeighbor(seed: seed, conditions)
        var parts = [roundTime]
        if let restart = conditions.restart { parts.insert(restart, at: 0) }
        for end in parts {
            let buffer = try await TagBuffer.open(
                directory: path, settings: StoreSettings(maximumByteCount: conditions.maximumByteCount),
                clock: site.clock)
            let events = Mutex<[String]>([])
            let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
            defer { client.close() }
            let services = MonitorServices(
                fetcher: try ResourceFetcher(client: client, jobs: 2), buffer: buffer, clock: site.clock
            ) { _ in }
            let monitor = LiveMonitor(
                services, alerts: AlertPipeline(AlertStore(path: folder.path + "/alerts.json"))
            ) { event in
                guard let channel = event.channel, channel.hasPrefix("healthy") else { return }
                if case .finding(.playlistHTTP, let finding) = event.kind,
                    finding.detail.contains("timed out"), let number = Int(channel.drop { $0.isLetter })
                {
                    site.noteTimeout(of: number)
                }
                if case .tag = event.kind { return told.withLock { $0[channel, default: 0] += 1 } }
                events.withLock { $0.append("\(channel): \(event.kind)") }
            }
            monitor.follow(channels(site, seed: seed))
            let running = Task { await monitor.run() }
            let owner = BufferOwner(buffer)
            let isLast = end == roundTime
            while site.time < (isLast ? end + repeatTime : end) {
                if let full = conditions.fullDisk {
                    if site.time == full.lowerBound { disk?.fill(leaving: 0) }
                    if site.time >= full.upperBound { disk?.release() }
                }
                try await neighbor.act(on: owner)
                guard await keepsUp(site, events, seed: seed) else { break }
                site.clock.advance(by: .milliseconds(500))
            }
            running.cancel()
            await running.value
            if isLast {
                let state = "seed \(seed), \(conditions)"
                print("live sequences: \(state), \(buffer.totals())")
                let told = conditions.restart == nil ? told.withLock { $0 } : nil
                try await check(site, told, beside: neighbor, in: buffer, conditions, state)
                try await check(neighbor, in: buffer, conditions, state)
            }
            await buffer.close()
        }
        disk?.release()
    }

    /// Waits until the healthy channels have been read; returns false, with an issue, if they are not.
    private static func keepsUp(
        _ site: LiveSequenceSite, _ problems: borrowing Mutex<[String]>, seed: UInt64
    ) async -> Bool {
        // A load that times out on a starved machine is repeated, and that requires the clock to advance. The round
        // therefore continues after a second if a channel has only just fallen behind.
        do {
            try await wait(for: "all segments", within: .seconds(1)) { site.lagging(by: .zero).isEmpty }
        } catch {}
        // Other channels may wait for their servers, but these must continue, however busy the machine is.
        do {
            try await wait(for: "the healthy channels") { site.lagging(by: .seconds(15)).isEmpty }
            return true
        } catch {
            let stuck = site.lagging(by: .seconds(15))
            let last = stuck.flatMap { number in
                let events = problems.withLock { $0.filter { $0.hasPrefix("healthy\(number): ") } }
                return [site.state(of: number)] + events.suffix(5)
            }
            Issue.record("seed \(seed): stuck at \(site.time)\n\(last.joined(separator: "\n"))")
            return false
        }
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

    /// Checks that each tag of the healthy channels is stored once, and told once unless `told` is nil.
    ///
    /// While the disk is full, each channel may lose its oldest tags, which make room for new ones.
    private static func check(
        _ site: LiveSequenceSite, _ told: [String: Int]?, beside neighbor: BufferNeighbor,
        in buffer: TagBuffer, _ conditions: RoundConditions, _ state: String
    ) async throws {
        let kept = try await owners(in: buffer, except: neighbor.sent)
        for number in 1...LiveSequenceSite.healthyCount {
            let id = "healthy\(number)"
            let expected = try site.owners(of: number, before: roundTime)
            let stored = kept[id] ?? []
            let missing = expected.filter { !stored.contains($0) }
            let evicted = conditions.fullDisk == nil ? [] : Array(expected.prefix(missing.count))
            #expect(
                !expected.isEmpty && missing == evicted,
                "\(state): \(id) lost \(missing.count) of \(expected.count)")
            #expect(Set(stored).count == stored.count, "\(state): \(id) has a tag twice")
            if let told { #expect(told[id] == stored.count + missing.count, "\(state): \(id)") }
        }
        guard !isSanitized else { return }
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        let resident = (fields.dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
        #expect(resident < maximumResidentByteCount, "\(state)")
    }

    /// Checks that only a flood and a full disk cost tags, and that those of another process are stored otherwise.
    private static func check(
        _ neighbor: BufferNeighbor, in buffer: TagBuffer, _ conditions: RoundConditions, _ state: String
    ) async throws {
        var losses = buffer.losses()
        let ids = Set(try await tags(in: buffer).map(\.id.text))
        #expect(neighbor.accepted.subtracting(ids).count <= losses.evicted, "\(state): \(losses)")
        if conditions.isFlooded || conditions.fullDisk != nil { losses.evicted = 0 }
        #expect(losses.total == 0, "\(state): \(losses)")
    }

    private static func tags(in buffer: TagBuffer) async throws -> [StoredTag] {
        var all: [StoredTag] = []
        while true {
            let tags = try await buffer.tags(after: all.last?.sequence ?? 0, maximumCount: 1_000)
            if tags.isEmpty { return all }
            all += tags
        }
    }

    /// Returns the owner identifiers of the stored tags, by channel.
    private static func owners(
        in buffer: TagBuffer, except others: Set<String> = []
    ) async throws -> [String: [String]] {
        var kept: [String: [String]] = [:]
        for tag in try await tags(in: buffer) where !others.contains(tag.id.text) {
            let record = try StoredBody.decode(tag.body.span)
            guard case .channel(let id, _) = record.origin else { continue }
            kept[id, default: []].append(String(decoding: record.tag.ownerIdentifier, as: UTF8.self))
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
