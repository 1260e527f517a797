import Foundation
import HLSInput
import StreamHealth
import StreamMonitor
import StreamSynthesis
import Synchronization
import TagStore
import TestSupport
import Testing

/// Channels whose playlist gets EXT-X-ENDLIST, as most packagers write it when they are restarted.
@Suite(.timeLimit(.minutes(30))) struct EndedChannelTests {
    /// The numbers and names of a new stream after the end.
    enum NewStream: CaseIterable {
        /// The numbers and names continue.
        case goesOn
        /// The numbers begin at 0, with the same names.
        case fromZero
        /// The numbers begin at 0, in another folder.
        case inOtherFolder
        /// The numbers begin at 0, with another query.
        case withOtherQuery
        /// The media playlist has another address.
        case atOtherAddress
    }

    /// The time at which the playlist ends.
    private static let end = Duration.seconds(60)

    /// Makes the playlists of a stream that ends and of the one that follows, and records the listed segments.
    private final class Packager: Sendable {
        let begin: Duration
        private let state = Mutex(State())

        private struct State {
            var last: [String: String] = [:]
            var firstNumbers: [String: Int] = [:]
            var listed: Set<String> = []
        }

        init(begin: Duration) { self.begin = begin }

        /// The names of all segments that were listed.
        var listed: Set<String> { state.withLock(\.listed) }

        /// Returns the playlist of an origin as the packager writes it at a time; `name` is one for each rendition.
        func playlist(_ text: String, _ name: String, at time: Duration, _ form: NewStream?) -> String {
            state.withLock { state in
                var text = text
                if time >= end, time < begin {
                    text = state.last[name] ?? text + "#EXT-X-ENDLIST\n"
                    state.last[name] = text
                } else if time >= begin, let form {
                    text = newStream(text, name, form, &state)
                }
                state.listed.formUnion(Self.names(text))
                return text
            }
        }

        /// Drops the segments from before the new stream, and numbers those of the new stream.
        private func newStream(_ text: String, _ name: String, _ form: NewStream, _ state: inout State)
            -> String
        {
            let names = Self.names(text)
            // The newest segment when the new stream is first loaded is its first one.
            let first = state.firstNumbers[name] ?? Self.number(names.last ?? "")
            state.firstNumbers[name] = first
            var lines: [String] = []
            var pending: [String] = []
            var sequence = 0
            for line in text.split(separator: "\n").map(String.init) {
                if line.hasPrefix("#EXT-X-MEDIA-SEQUENCE") { continue }
                guard !line.hasPrefix("#EXT-X-PROGRAM") && !line.hasPrefix("#EXTINF") else {
                    // The new stream has no dates, so only numbers and names identify its segments.
                    if line.hasPrefix("#EXTINF") { pending.append(line) }
                    continue
                }
                guard !line.hasPrefix("#") else {
                    lines.append(line)
                    continue
                }
                if Self.number(line) >= first {
                    if lines.allSatisfy({ !$0.hasPrefix("#EXTINF") }) {
                        sequence = form == .goesOn ? Self.number(line) : Self.number(line) - first
                    }
                    lines += pending
                    lines.append(
                        form == .inOtherFolder
                            ? "new/\(line)" : form == .withOtherQuery ? "\(line)?new" : line)
                }
                pending = []
            }
            lines.insert("#EXT-X-MEDIA-SEQUENCE:\(sequence)", at: 2)
            return lines.joined(separator: "\n") + "\n"
        }

        static func names(_ text: String) -> [String] {
            text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
                String((line.split(separator: "/").last ?? "").prefix { $0 != "?" })
            }
        }

        private static func number(_ line: String) -> Int { Int(line.filter(\.isNumber).suffix(9)) ?? 0 }
    }

    /// Returns the address of the origin for one of the new stream.
    private static func origin(_ target: String) -> String {
        target.replacing("/new/", with: "/").replacing("?new", with: "")
    }

    /// Returns how often each segment was requested, by name.
    private static func requests(_ station: MonitoredStation) -> [String: Int] {
        let names = station.targets.filter { !$0.contains(".m3u8") }.flatMap(Packager.names)
        return names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test(arguments: NewStream.allCases) func newStreamAfterTheEnd_isReadOnce(form: NewStream) async throws {
        let packager = Packager(begin: .seconds(150))
        let renditions: [SynthesisSettings.Rendition] =
            form == .atOtherAddress
            ? [.init(name: "r0", video: .smallest), .init(name: "r1", video: .smallest)]
            : [.init(name: "main", video: nil)]
        let station = try MonitoredStation(
            channels: 1, renditions: renditions, readdress: { target, _ in Self.origin(target) },
            rewrite: { text, target, time in
                guard text.contains("#EXTINF") else {
                    // The multivariant playlist names the new session.
                    return time < packager.begin ? text : text.replacing("r0/", with: "new/r0/")
                }
                // The old session stays as it ended.
                let isOld = form == .atOtherAddress && !target.contains("/new/")
                return packager.playlist(
                    text, Self.origin(target), at: isOld ? min(time, .seconds(149)) : time, form)
            })
        var channel = station.channels(1...1)[0]
        channel.rendition = .chosen(.lowest)
        let totals = try await station.monitor([channel], for: 360)
        let requests = Self.requests(station)
        #expect(Set(requests.keys).isSuperset(of: packager.listed), "\(packager.listed) \(requests)")
        #expect(requests.values.allSatisfy { $0 == 1 }, "\(requests)")
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners).count == owners.count && totals.accepted == Int64(owners.count))
        #expect(station.events.states(of: "ch1").contains(.ended))
        #expect(station.events.states(of: "ch1").last == .healthy, "\(station.events.states(of: "ch1"))")
        #expect(
            station.events.alerts == ["raise ch1 channel.ended", "clear ch1 channel.ended"],
            "\(station.events.alerts)")
    }

    /// The monitor starts while the playlist is complete, and an EVENT playlist ends and continues.
    @Test(arguments: [true, false]) func playlistThatHasEndedFromTheStart_orIsAnEvent_isReadOnce(
        isEvent: Bool
    ) async throws {
        let packager = Packager(begin: .seconds(150))
        let station = try MonitoredStation(
            channels: 1,
            rewrite: { text, target, time in
                let type = isEvent ? "#EXT-X-PLAYLIST-TYPE:EVENT\n" : ""
                let text = text.replacing("#EXTM3U\n", with: "#EXTM3U\n" + type)
                let time = isEvent ? time : max(time, Self.end)
                return packager.playlist(text, target, at: time, isEvent ? nil : .goesOn)
            })
        _ = try await station.monitor(station.channels(1...1), for: 300)
        let requests = Self.requests(station)
        #expect(Set(requests.keys).isSuperset(of: packager.listed), "\(packager.listed) \(requests)")
        #expect(requests.values.allSatisfy { $0 == 1 }, "\(requests)")
        #expect(
            station.events.alerts == ["raise ch1 channel.ended", "clear ch1 channel.ended"],
            "\(station.events.alerts)")
        #expect(station.events.states(of: "ch1").last == .healthy)
    }

    /// An ended backup costs the channel nothing while the primary lives, and is read when it lives again.
    @Test func endedBackup_isNoProblemOfThePrimary() async throws {
        let packager = Packager(begin: .seconds(120))
        let station = try MonitoredStation(
            channels: 1, playlistCount: 2,
            rewrite: { text, target, time in
                target.hasPrefix("/backup/") ? packager.playlist(text, target, at: time, .goesOn) : text
            })
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 240)
        let owners = station.events.owners(of: "ch1")
        #expect(totals.accepted == Int64(owners.count) && Set(owners).count == owners.count)
        let states = station.events.states(of: "ch1")
        #expect(!states.contains(.ended) && states.last == .healthy, "\(states)")
    }

    @Test func endedPlaylist_isLoadedEvery30Seconds_andAfterAnHourEvery5Minutes() async throws {
        let packager = Packager(begin: .seconds(10_000))
        let station = try MonitoredStation(
            channels: 1, rewrite: { text, target, time in packager.playlist(text, target, at: time, nil) })
        var counts: [Double: Int] = [:]
        _ = try await station.monitor(station.channels(1...1), for: 7_500) { _, seconds in
            if [600, 3_600, 4_200, 7_500].contains(seconds + 0.5) {
                counts[seconds + 0.5] = station.requestCount
            }
        }
        let early = (counts[3_600] ?? 0) - (counts[600] ?? 0)
        let late = (counts[7_500] ?? 0) - (counts[4_200] ?? 0)
        #expect((80...133).contains(early) && (8...15).contains(late), "\(early) \(late)")
        #expect(station.events.alerts == ["raise ch1 channel.ended"])
        #expect(station.events.states(of: "ch1").last == .ended)
    }

    /// The alert of an ended channel stays one alert, and its playlist may also be removed.
    @Test func endedChannel_acrossARestart_andWithoutItsPlaylist_keepsItsAlert() async throws {
        let isGone = Mutex(false)
        let station = try MonitoredStation(
            channels: 1, endsAfter: .seconds(30),
            readdress: { target, _ in isGone.withLock { $0 } ? "/gone" : target })
        _ = try await station.monitor(station.channels(1...1), for: 90)
        _ = try await station.monitor(station.channels(1...1), for: 120) { _, seconds in
            if seconds == 60 { isGone.withLock { $0 = true } }
        }
        #expect(station.events.alerts == ["raise ch1 channel.ended"])
        #expect(station.events.states(of: "ch1").last == .ended)
        #expect(station.events.findings == ["ch1 channel.ended"])
    }

    /// A reload of the channel file that allows the end clears the alert; one that forbids it raises it.
    @Test func changedSetting_appliesToAnEndedChannel() async throws {
        let station = try MonitoredStation(channels: 1, endsAfter: .seconds(30))
        var channel = station.channels(1...1)[0]
        _ = try await station.monitor([channel], for: 240) { monitor, seconds in
            if seconds == 80 || seconds == 160 {
                channel.mayEnd.toggle()
                monitor.follow([channel])
            }
        }
        #expect(
            station.events.alerts == [
                "raise ch1 channel.ended", "clear ch1 channel.ended", "raise ch1 channel.ended",
            ])
    }

    /// In quiet hours no tags are expected, but a playlist is.
    @Test(arguments: [true, false]) func endInQuietHours_isOneAlert_andNoSilenceAfterThem(
        returns: Bool
    ) async throws {
        let packager = Packager(begin: returns ? .seconds(120) : .seconds(10_000))
        let station = try MonitoredStation(
            channels: 1, rewrite: { text, target, time in packager.playlist(text, target, at: time, .goesOn) }
        )
        var channel = station.channels(1...1)[0]
        channel.quiet = try ChannelSettingTests.hours(-1...5, around: station.clock.unixMilliseconds)
        _ = try await station.monitor([channel], for: 500)
        let expected = ["raise ch1 channel.ended", "clear ch1 channel.ended"].prefix(returns ? 2 : 1)
        #expect(station.events.alerts == Array(expected))
        #expect(station.events.states(of: "ch1").last == (returns ? .healthy : .ended))
    }

    @Test func pausedChannel_thatHasEnded_hasNoAlert_untilItIsResumed() async throws {
        let station = try MonitoredStation(channels: 1, endsAfter: .seconds(30))
        let channels = station.channels(1...1)
        _ = try await station.monitor(channels, for: 200) { monitor, seconds in
            if seconds == 80 || seconds == 140 {
                monitor.follow(channels, paused: seconds == 80 ? ["ch1"] : [])
            }
            if seconds == 130 { #expect(station.events.alerts.last == "clear ch1 channel.ended") }
        }
        #expect(station.events.alerts.count == 3 && station.events.states(of: "ch1").last == .ended)
    }

    /// The backup is read while the primary has ended, without a missing or repeated tag.
    @Test func backup_isReadWhileThePrimaryHasEnded() async throws {
        let whole = try MonitoredStation(channels: 1)
        let expected = try await whole.monitor(whole.channels(1...1), for: 240).accepted
        let packager = Packager(begin: .seconds(120))
        let station = try MonitoredStation(
            channels: 1, playlistCount: 2,
            rewrite: { text, target, time in
                target.hasPrefix("/backup/") ? text : packager.playlist(text, target, at: time, nil)
            })
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 240)
        #expect(totals.accepted == expected)
        let states = station.events.states(of: "ch1")
        #expect(!states.contains(.ended) && !states.contains(.silent) && states.last == .healthy, "\(states)")
        #expect(station.events.alerts == ["raise ch1 channel.backup", "clear ch1 channel.backup"])
        #expect(station.notes.first?.hasSuffix(" because its playlist has ended") == true)
    }

    /// One of two followed renditions ends; the channel is degraded by it, and has not ended.
    @Test func oneEndedRendition_isAnAlert_andTheOthersAreFollowed() async throws {
        let packager = Packager(begin: .seconds(600))
        let station = try MonitoredStation(
            channels: 1,
            renditions: [.init(name: "r0", video: .smallest), .init(name: "r1", video: .smallest)],
            playlistCount: 2,
            rewrite: { text, target, time in
                target.contains("/r0/") ? packager.playlist(text, target, at: time, nil) : text
            })
        var channel = station.channels(1...1)[0]
        channel.rendition = .chosen(.all)
        _ = try await station.monitor([channel], for: 180)
        #expect(station.events.alerts.first == "raise ch1 channel.ended", "\(station.events.alerts)")
        #expect(!station.events.states(of: "ch1").contains(.ended))
        #expect(station.targets.filter { $0.contains("/r1/seg") }.count > 25)
    }
}
