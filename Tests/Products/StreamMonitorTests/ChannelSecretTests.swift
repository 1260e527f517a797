import Foundation
import HLSInput
import HTTPServing
import HTTPTransfer
import NielsenID3
import StreamHealth
import StreamSynthesis
import TestSupport
import Testing
import TextForms

@testable import StreamMonitor

/// The secrets of channels, which no output of a monitor contains.
@Suite struct ChannelSecretTests {
    /// Returns all texts about a channel that is monitored for some seconds.
    ///
    /// The texts with tags are separate; the first of them is the JSON object of the channel.
    private static func outputs(
        of channel: ChannelSettings, on station: MonitoredStation, for length: Double
    ) async throws -> (told: [String], tags: [String]) {
        var told: [String] = []
        var tags: [String] = []
        _ = try await station.monitor([channel], for: length) { monitor, seconds in
            guard seconds == length - 1, let details = monitor.details(of: channel.id) else { return }
            var writer = JSONWriter()
            details.write(to: &writer)
            tags.append(String(decoding: writer.bytes, as: UTF8.self))
            let page = ChannelPage(details: details, now: station.clock.unixMilliseconds).answer
            told.append(String(decoding: page.body, as: UTF8.self))
            told.append(String(decoding: monitor.metricsText(bufferFolder: station.directory), as: UTF8.self))
        }
        for event in station.events {
            var writer = JSONWriter()
            event.writeLine(to: &writer)
            let line = String(decoding: writer.bytes, as: UTF8.self)
            if case .tag = event.kind { tags.append(line) } else { told.append(line) }
        }
        told += station.notes
        told.append(try String(contentsOfFile: "\(station.directory)/alerts.json", encoding: .utf8))
        return (told, tags)
    }

    /// As a CDN signs addresses: each URI of a playlist or segment has its own signature and repeats the channel's.
    @Test func queriesOfURIs_areNotReported_andTheChannelQueryIsNotInTags() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 60s for 40s channel 1: status 404 segment",
            renditions: [
                .init(name: "r0", video: .smallest),
                .init(name: "r1", video: .smallest, carriesTags: false),
            ], playlistCount: 2,
            readdress: { target, _ in String(target.prefix { $0 != "?" }) },
            rewrite: { playlist, _, _ in
                playlist.split(separator: "\n").map { line in
                    line.hasPrefix("#") ? "\(line)" : "\(line)?sig=of-this-address&for=of-the-channel"
                }.joined(separator: "\n") + "\n"
            })
        var channel = station.channels(1...1)[0]
        channel.rendition = .chosen(.all)
        channel.url += "?sig=of-the-channel"
        let (told, tags) = try await Self.outputs(of: channel, on: station, for: 150)
        #expect(told.count > 5 && tags.count > 10)
        #expect(station.targets.contains { $0.contains("of-the-channel") })
        #expect(station.targets.contains { $0.contains("of-this-address") && $0.contains(".ts") })
        // The findings still contain the names.
        for name in [".ts?…", "r0/index.m3u8?…", "r1/index.m3u8?…"] {
            #expect(told.contains { $0.contains("segment.http") && $0.contains(name) })
        }
        for text in told { #expect(!text.contains("of-this-address"), "\(text)") }
        for text in told + tags { #expect(!text.contains("of-the-channel"), "\(text)") }
        // A tag states the URI of its segment as in the playlist, but without the channel's secret.
        #expect(tags.contains { $0.contains(".ts?sig=of-this-address&for=…") })
        // In the object of a channel, only the tags contain a segment's query.
        let object = try #require(tags.first).split(separator: "\"last_findings\"")
        #expect(object.count == 2 && !object[1].contains("of-this-address"))
    }

    /// A playlist may insert a value of its query into paths.
    ///
    /// A query may contain spaces, which no server accepts.
    @Test func playlistQuery_inPath_andQueryWithSpaces_areNotReported() async throws {
        let station = try MonitoredStation(
            channels: 1,
            renditions: [
                .init(name: "r0", video: .smallest), .init(name: "r1", video: .smallest, carriesTags: false),
            ], playlistCount: 2,
            readdress: { target, _ in String(target.prefix { $0 != "?" }) },
            rewrite: { playlist, _, time in
                let path = time < .seconds(30) ? "{$key}/a" : "{$key}/{$key}"
                return playlist.split(separator: "\n").map { line in
                    if line == "#EXTM3U" { return #"#EXTM3U\#n#EXT-X-DEFINE:QUERYPARAM="key""# }
                    if line.hasPrefix("#") { return "\(line)" }
                    return line.hasSuffix(".m3u8")
                        ? "\(line)?key=of-the-playlist" : "\(path)-\(line)?sig=1 of-this-address"
                }.joined(separator: "\n") + "\n"
            })
        var channel = station.channels(1...1)[0]
        channel.rendition = .chosen(.all)
        channel.url += "?key=of-the-channel"
        let (told, tags) = try await Self.outputs(of: channel, on: station, for: 60)
        #expect(told.contains { $0.contains("segment.http") && $0.contains("…/a-") && $0.contains(".ts?…") })
        #expect(station.targets.contains { $0.contains("of-the-playlist") })
        #expect(told.contains { $0.contains("segment.changed") && $0.contains("…/…-") })
        for text in told + tags {
            for secret in ["of-the-channel", "of-the-playlist", "of-this-address"] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
    }
}
