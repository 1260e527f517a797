import Foundation
import HTTPServing
import Synchronization
import TestSupport

@testable import StreamSynthesis

/// A server of healthy channels and as many with random responses, all by the clock of a test.
///
/// It records the served content of each healthy channel. A monitor that keeps up must have read all of it.
final class LiveSequenceSite: Sendable {
    static let healthyCount = 20
    static let randomCount = 20

    let clock = ManualClock()
    private let station: SyntheticOrigin
    private let start: Duration
    private let served: Served
    private let server: LoopbackServer

    /// The served content, by channel.
    private final class Served: Sendable {
        let healthy = Mutex<[Int: Healthy]>([:])
        let random: Mutex<[Int: RandomAnswers]>

        init(seed: UInt64, isFlooded: Bool) {
            random = Mutex(
                Dictionary(
                    uniqueKeysWithValues: (1...LiveSequenceSite.randomCount).map {
                        ($0, RandomAnswers(seed: seed, channel: $0, isFlooded: isFlooded && $0 <= 2))
                    }))
        }
    }

    /// The served content of a healthy channel.
    struct Healthy {
        /// The time of the last request for its playlist, or of the end of the last load that timed out.
        var loadTime = Duration.zero
        /// The segments that its playlist has listed, by name, with the time of the first listing.
        var listed: [String: Duration] = [:]
        /// The requested segments, by name, with the time of the first request.
        var requested: [String: Duration] = [:]
    }

    /// Creates a site.
    ///
    /// - Parameter isFlooded: Whether two of the servers with random responses send floods of tags.
    init(seed: UInt64, isFlooded: Bool) throws {
        var settings = LiveSettings()
        settings.channelCount = Self.healthyCount + Self.randomCount
        // Audio alone is encoded almost immediately.
        settings.renditions = [.init(name: "main", video: nil)]
        settings.seed = seed
        let station = try SyntheticOrigin(
            settings, script: LiveScript(parsing: "", channelCount: settings.channelCount),
            startTime: clock.unixMilliseconds)
        let served = Served(seed: seed, isFlooded: isFlooded)
        let (clock, start) = (clock, clock.sinceBoot)
        self.station = station
        self.served = served
        self.start = start
        server = try LoopbackServer { request in
            let time = clock.sinceBoot - start
            let parts = request.target.prefix { $0 != "?" }.split(separator: "/")
            guard parts.count == 2, let number = Int(parts[0].drop { $0.isLetter }) else {
                return [response("404 Not Found")]
            }
            if parts[0].hasPrefix("ch") {
                let body = station.answer(.init(request.target), at: time).content.body
                served.healthy.withLock { $0[number, default: Healthy()].note(parts[1], body, at: time) }
                return Self.steps(body)
            }
            guard (1...Self.randomCount).contains(number) else { return [response("404 Not Found")] }
            let file = parts[1].hasSuffix(".m3u8") ? "index.m3u8" : String(parts[1])
            let path = "/ch\(Self.healthyCount + number)/\(file)"
            let body = station.answer(.init(path), at: time).content.body
            return served.random.withLock { channels in
                channels[number]?.answer(to: request.target, body: body) ?? []
            }
        }
    }

    deinit { server.stop() }

    private static func steps(_ body: [UInt8]) -> [LoopbackServer.Step] {
        [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"), .sendBytes(body)]
    }

    /// Returns the address of a healthy channel.
    func healthyAddress(_ number: Int) -> String { "\(server.base)/ch\(number)/index.m3u8" }

    /// Returns the address of a channel with random responses.
    func randomAddress(_ number: Int) -> String { "\(server.base)/random\(number)/index.m3u8" }

    /// The time since the start.
    var time: Duration { clock.sinceBoot - start }

    /// Returns the healthy channels that are behind.
    ///
    /// The playlist of such a channel was not loaded for 15 s, or a segment that was listed at least `limit` ago has
    /// not been requested.
    func lagging(by limit: Duration) -> [Int] {
        let time = time
        return served.healthy.withLock { channels in
            (1...Self.healthyCount).filter { number in
                guard let channel = channels[number] else { return true }
                return time - channel.loadTime > .seconds(15)
                    || channel.listed.contains {
                        time - $0.value >= limit && channel.requested[$0.key] == nil
                    }
            }
        }
    }

    /// Returns what is known of a healthy channel that is behind, in one line.
    func state(of number: Int) -> String {
        guard let channel = served.healthy.withLock({ $0[number] }) else {
            return "healthy\(number): no request"
        }
        let missing = channel.listed.filter { channel.requested[$0.key] == nil }.sorted {
            $0.value < $1.value
        }
        return "healthy\(number): load at \(channel.loadTime), \(channel.requested.count) segments, missing: "
            + missing.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    }

    /// Records that a load of a healthy channel's playlist has timed out, as happens on an overloaded machine.
    ///
    /// The channel repeats the load by the clock of the test.
    func noteTimeout(of number: Int) {
        let time = time
        served.healthy.withLock { $0[number, default: Healthy()].loadTime = time }
    }

    /// Returns the owner identifiers of the tags of a healthy channel, in the segments that a monitor has requested
    /// before a time.
    func owners(of number: Int, before end: Duration) throws -> [String] {
        let requested = served.healthy.withLock { $0[number]?.requested ?? [:] }
        let record = station.answer(.init("/ch\(number)/published.jsonl"), at: time).content.body
        struct Line: Decodable {
            let segment: String
            let owners: [String]
        }
        var owners: [String] = []
        for line in record.split(separator: UInt8(ascii: "\n")) {
            let line = try JSONDecoder().decode(Line.self, from: Data(line))
            if let time = requested[line.segment], time < end { owners += line.owners }
        }
        return owners
    }
}

extension LiveSequenceSite.Healthy {
    /// Records a request and its response.
    fileprivate mutating func note(_ file: Substring, _ body: [UInt8], at time: Duration) {
        guard file.hasSuffix(".m3u8") else {
            let name = String(file.prefix { $0 != "." })
            if requested[name] == nil { requested[name] = time }
            return
        }
        loadTime = time
        for line in String(decoding: body, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let name = String(line.prefix { $0 != "." })
            if listed[name] == nil { listed[name] = time }
        }
    }
}
