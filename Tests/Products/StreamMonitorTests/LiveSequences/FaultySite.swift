import Foundation
import HLSInput
import HTTPServing
import Synchronization
import TestSupport

@testable import StreamMonitor
@testable import StreamSynthesis

/// A server of channels with the faults of real servers, by the clock of a test.
final class FaultySite: Sendable {
    static let channelCount = 16

    let clock = ManualClock()
    private let stations: [SyntheticOrigin]
    private let start: Duration
    private let state: State
    private let server: LoopbackServer

    private final class State: Sendable {
        let channels: Mutex<[FaultyChannel]>

        init(_ channels: [FaultyChannel]) { self.channels = Mutex(channels) }
    }

    init(seed: UInt64) throws {
        var random = SplitMix64(seed: seed, stream: 0x5349_5445)
        var settings = LiveSettings()
        settings.channelCount = Self.channelCount
        settings.renditions = [.init(name: "main", video: nil)]
        settings.seed = seed
        settings.segmentDuration = [1.92, 3.2, 4.8, 6.4].randomElement(using: &random) ?? 3.2
        settings.windowSegmentCount = .random(in: 6...12, using: &random)
        let clock = clock
        let start = clock.sinceBoot
        var stations: [SyntheticOrigin] = []
        var channels: [FaultyChannel] = []
        for container in [SynthesisSettings.Container.transportStream, .fragmentedMP4] {
            settings.container = container
            stations.append(
                try SyntheticOrigin(
                    settings, script: LiveScript(parsing: "", channelCount: settings.channelCount),
                    startTime: clock.unixMilliseconds))
        }
        for number in 1...Self.channelCount {
            settings.container = number.isMultiple(of: 4) ? .fragmentedMP4 : .transportStream
            channels.append(FaultyChannel(seed: seed, number: number, settings: settings))
        }
        let state = State(channels)
        self.start = start
        self.stations = stations
        self.state = state
        server = try LoopbackServer { [stations] request in
            let target = String(request.line.split(separator: " ").dropFirst().first ?? "")
            let name = target.split(separator: "/").first ?? ""
            guard let number = Int(name.drop { $0.isLetter }), (1...Self.channelCount).contains(number) else {
                return [response("404 Not Found")]
            }
            let time = clock.sinceBoot - start
            return state.channels.withLock { channels in
                let station = stations[channels[number - 1].container == .transportStream ? 0 : 1]
                return channels[number - 1].answer(target, header: request.header) { file in
                    station.answer(.init("/ch\(number)/\(file)"), at: time).content.body
                }
            }
        }
        observe()
    }

    deinit { server.stop() }

    /// The time since the start.
    var time: Duration { clock.sinceBoot - start }

    var channels: [ChannelSettings] {
        (1...Self.channelCount).map { number in
            var channel = ChannelSettings(
                id: "faulty\(number)", url: "\(server.base)/faulty\(number)/index.m3u8")
            channel.rendition = .chosen(.lowest)
            return channel
        }
    }

    /// Advances the clock, and records what can be fetched now.
    func advance(by duration: Duration) {
        // The answers change before the monitor wakes up.
        observe(after: duration)
        clock.advance(by: duration)
    }

    private func observe(after duration: Duration = .zero) {
        let time = time + duration
        state.channels.withLock { channels in
            for index in channels.indices {
                channels[index].advance(
                    to: time / .seconds(1), listing: listed(in: channels[index], at: time))
            }
        }
    }

    private func station(of channel: FaultyChannel) -> SyntheticOrigin {
        stations[channel.container == .transportStream ? 0 : 1]
    }

    /// Returns the segments that the station lists.
    private func listed(in channel: FaultyChannel, at time: Duration) -> ClosedRange<Int> {
        let body = station(of: channel).answer(.init("/ch\(channel.number)/index.m3u8"), at: time).content
            .body
        let numbers = String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap {
            $0.hasPrefix("seg") ? Int($0.dropFirst(3).prefix { $0.isNumber }) : nil
        }
        return (numbers.first ?? 0)...(numbers.last ?? 0)
    }

    /// Returns the tags that were lost among those that a channel's source had for long enough, with their reasons.
    func losses(of number: Int, stored: Set<String>) throws -> [String] {
        let channel = state.channels.withLock { $0[number - 1] }
        struct Line: Decodable {
            let segment: String
            let owners: [String]
        }
        let record = station(of: channel).answer(.init("/ch\(number)/published.jsonl"), at: time).content.body
        var losses: [String] = []
        for line in record.split(separator: UInt8(ascii: "\n")) {
            let line = try JSONDecoder().decode(Line.self, from: Data(line))
            guard let segment = Int(line.segment.dropFirst(3)), !channel.isAdvertisement(segment),
                let seconds = channel.longestSeconds[segment], seconds > channel.graceSeconds,
                !stored.isSuperset(of: line.owners)
            else { continue }
            losses.append(
                "\(line.segment), available for \(seconds) s, served at "
                    + "\(channel.served[segment].map { "\($0)" } ?? "no time")")
        }
        return losses
    }

    /// Returns a channel's faults and last requests.
    func state(of number: Int) -> String {
        let channel = state.channels.withLock { $0[number - 1] }
        return channel.description
    }

    /// Returns all requests of a channel, one a line.
    func requests(of number: Int) -> String {
        state.channels.withLock { $0[number - 1].requests }.joined(separator: "\n")
    }

    /// Returns the number of segments whose tags are required.
    func requiredCount(of number: Int) -> Int {
        let channel = state.channels.withLock { $0[number - 1] }
        return channel.longestSeconds.count { $0.value > channel.graceSeconds }
    }
}
