import HLSPlaylist
import NielsenID3
import StreamHealth
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor

/// A channel that exceeds a limit is reported, its tags are still read, and its neighbors lose nothing.
@Suite(.timeLimit(.minutes(30))) struct OverLimitTests {
    private static func details(_ station: MonitoredStation, _ channel: String) -> [String] {
        station.events.compactMap { event in
            guard event.channel == channel, case .finding(.channelOverLimit, let finding) = event.kind else {
                return nil
            }
            return finding.detail
        }
    }

    @Test func mediaPlaylist_withTooManyEntries_isReportedOnceAndRead() async throws {
        let maximum = PlaylistLimit.dateRanges.maximum
        let ranges = (0...maximum).map { "#EXT-X-DATERANGE:ID=\"\($0)\",SCTE35-OUT=0x00" }.joined(
            separator: "\n")
        let station = try MonitoredStation(
            channels: 2,
            rewrite: { playlist, target, _ in target.hasPrefix("/ch1/") ? "\(playlist)\(ranges)\n" : playlist
            })
        _ = try await station.monitor(station.channels(1...2), for: 60)
        #expect(
            Self.details(station, "ch1") == [
                "the playlist has more than \(maximum) date ranges: the rest is ignored"
            ])
        #expect(Self.details(station, "ch2").isEmpty)
        #expect(station.events.owners(of: "ch1").count >= 5)
        #expect(station.events.owners(of: "ch1").count == station.events.owners(of: "ch2").count)
        #expect(station.events.alerts.contains("raise ch1 channel.over-limit"))
    }

    /// A target duration and a media sequence number far beyond the limits of `PlaylistNumber`.
    @Test func playlist_withExtremeNumbers_stopsNoChannel() async throws {
        let station = try MonitoredStation(
            channels: 2,
            rewrite: { playlist, target, time in
                guard target.hasPrefix("/ch1/"), time >= .seconds(20) else { return playlist }
                return """
                    #EXTM3U
                    #EXT-X-TARGETDURATION:9223372036854775807
                    #EXT-X-MEDIA-SEQUENCE:2305843009213693950
                    a.ts

                    """
            })
        _ = try await station.monitor(station.channels(1...2), for: 60)
        #expect(station.events.owners(of: "ch2").count >= 5)
    }

    /// Each load after the first minute lists a hundred segments with new names.
    @Test func playlist_withNewSegmentsInEachLoad_isReadUpToTheLimit_andReported() async throws {
        let station = try MonitoredStation(
            channels: 2,
            rewrite: { playlist, target, time in
                guard target.hasPrefix("/ch1/"), time >= .seconds(70) else {
                    return playlist
                }
                let second = Int(time / .seconds(1))
                let segments = (0..<100).map { "#EXTINF:2,\nnew-\(second)-\($0).ts" }
                return "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(second * 1_000)\n"
                    + segments.joined(separator: "\n") + "\n"
            })
        var channels = station.channels(1...2)
        channels[0].policy[.channelSegments] = 10
        _ = try await station.monitor(channels, for: 90)
        let read = Set(station.targets.filter { $0.contains("new-") })
        #expect(!read.isEmpty)
        #expect(
            read.allSatisfy { (90..<100).contains(Int($0.dropLast(3).split(separator: "-").last ?? "") ?? 0) }
        )
        #expect(
            Self.details(station, "ch1").contains(
                "its playlists add more than 10 segments a minute: the oldest are not read"))
        #expect(Self.details(station, "ch2").isEmpty)
        #expect(station.events.owners(of: "ch2").count >= 3)
    }

    /// Tags that are not reported are still stored and counted.
    @Test func eventsBeyondTheLimit_areNotReported_butTheirTagsAreStored() async throws {
        let station = try MonitoredStation(channels: 2)
        var channels = station.channels(1...2)
        channels[0].policy[.channelLines] = 1
        let totals = try await station.monitor(channels, for: 180)
        let told = station.events.owners(of: "ch1").count
        let all = station.events.owners(of: "ch2").count
        #expect(all >= 15 && told < all)
        #expect(totals.accepted == Int64(2 * all))
        #expect(
            Self.details(station, "ch1").first
                == "it has more than 1 events a minute: the rest are counted but not reported")
        #expect(Self.details(station, "ch2").isEmpty)
    }

    /// A playlist of segments with long addresses.
    @Test func segments_beyondTheMemoryLimit_areNotRead() async throws {
        let station = try MonitoredStation(
            channels: 2,
            rewrite: { playlist, target, _ in
                guard target.hasPrefix("/ch1/") else { return playlist }
                let name = String(repeating: "x", count: 8_000)
                let segments = (0..<200).map { "#EXTINF:2,\n\(name)-\($0).ts" }
                return "#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + segments.joined(separator: "\n") + "\n"
            })
        var channels = station.channels(1...2)
        channels[0].policy[.channelMemory] = 1
        _ = try await station.monitor(channels, for: 20)
        let read = Set(
            station.targets.filter { $0.contains("xxx-") }.map { $0.split(separator: "-").last ?? "" })
        // The newest MiB of 1.7 MB is read.
        #expect((100..<140).contains(read.count))
        #expect(read.contains("199.ts") && !read.contains("0.ts"))
        #expect(
            Self.details(station, "ch1")
                == ["its playlists list more than 1 MiB of segments to read: the oldest are not read"])
        #expect(Self.details(station, "ch2").isEmpty)
    }

    /// Returns a segment of packed audio: a frame of silence after many tags that differ from those of other segments.
    private static func flood(_ target: String, tagCount: Int) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        for _ in 0..<tagCount {
            let text = (0..<4).map { _ in String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 36)
            }
            let owner = Array("www.nielsen.com/\(text.joined())".utf8) + [0]
            let size = UInt8(owner.count)
            bytes += Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, size + 10]
            bytes += Array("PRIV".utf8) + [0, 0, 0, size, 0, 0] + owner
        }
        let silence: [UInt8] = [
            0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC, 0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80,
        ]
        return bytes + silence
    }

    /// The tags of this channel would fill the buffer several times.
    @Test func channelThatFloodsTheBuffer_losesOnlyItsOwnTags_andIsReported() async throws {
        let station = try MonitoredStation(
            channels: 3,
            replace: { target in
                target.hasPrefix("/ch1/") && !target.hasSuffix(".m3u8")
                    ? Self.flood(target, tagCount: 1_500) : nil
            })
        let totals = try await station.monitor(
            station.channels(1...3), for: 60, settings: StoreSettings(maximumByteCount: 2_000_000))
        #expect(totals.losses.evicted > 0 && totals.losses.total == totals.losses.evicted)
        #expect(
            Self.details(station, "ch1") == [
                "it has more than 2 equal shares of a full buffer: the oldest of its tags are evicted first"
            ])
        // Every tag of the other channels is still in the buffer.
        let buffer = try await TagBuffer.open(directory: station.directory, clock: station.clock)
        var kept: [String: Int] = [:]
        for tag in try await buffer.tags(maximumCount: 10_000) {
            guard case .channel(let id, _) = try StoredBody.decode(tag.body.span).origin else { continue }
            kept[id, default: 0] += 1
        }
        await buffer.close()
        for channel in ["ch2", "ch3"] {
            let told = station.events.owners(of: channel).count
            #expect(told >= 5 && kept[channel] == told)
            #expect(Self.details(station, channel).isEmpty)
        }
    }
}
