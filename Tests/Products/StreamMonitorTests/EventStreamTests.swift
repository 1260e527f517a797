import Foundation
import HTTPServing
import StreamMonitor
import TagStore
import TestSupport
import Testing

/// The server-sent events of a monitor.
@Suite(.timeLimit(.minutes(30))) struct EventStreamTests {
    /// A reader of the event stream.
    private final class Reader {
        private let stream: any AnswerStream

        init(_ site: MonitorSite) throws {
            let step = site.step(after: .local("GET", "/events"))
            guard case .stream(let head, let stream) = step else { throw Refused() }
            #expect(head.status == 200 && stream.byteCount == nil)
            #expect(head.fields.contains(.init(name: "Content-Type", value: "text/event-stream")))
            #expect(head.fields.contains(.init(name: "Cache-Control", value: "no-store")))
            self.stream = stream
        }

        struct Refused: Error {}

        /// Returns the next event, or nil if there is none yet.
        func next() throws -> Event? {
            let piece = try #require(stream.nextPiece(waitingAtMost: .zero))
            return piece.isEmpty ? nil : try Event(piece)
        }
    }

    /// One event, parsed as the HTML standard (9.2.6) specifies.
    private struct Event {
        var name = ""
        var fields: [String: Any] = [:]
        var retry: String?

        init(_ piece: [UInt8]) throws {
            let text = String(decoding: piece, as: UTF8.self)
            #expect(text.hasSuffix("\n\n"))
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: ":", maxSplits: 1)
                let value = String(parts[1].drop { $0 == " " })
                switch parts[0] {
                case "event": name = value
                case "retry": retry = value
                case "data":
                    fields = try #require(
                        try JSONSerialization.jsonObject(with: Data(value.utf8)) as? [String: Any])
                default: Issue.record("\(line)")
                }
            }
        }

        var channels: [[String: Any]] { fields["channels"] as? [[String: Any]] ?? [] }
        var ids: [String] { channels.compactMap { $0["id"] as? String } }
        var alerts: [String]? {
            (fields["alerts"] as? [[String: Any]])?.map { alert in
                let subject = alert["channel"] as? String ?? alert["host"] as? String ?? ""
                return "\(subject) \(alert["check"] as? String ?? "")"
            }
        }

        func state(of id: String) -> String? {
            channels.first { $0["id"] as? String == id }?["state"] as? String
        }
    }

    @Test func reader_receivesAllChannels_thenOnlyChanges() async throws {
        let station = try MonitoredStation(channels: 3, script: "at 60s for 60s channel 2: status 503")
        var events: [(seconds: Double, event: Event)] = []
        var (site, reader): (MonitorSite?, Reader?)
        _ = try await station.monitor(station.channels(1...3), for: 240) { monitor, seconds in
            guard seconds >= 20 else { return }
            do {
                let here = site ?? station.site(of: monitor)
                site = here
                let reading = try reader ?? Reader(here)
                reader = reading
                if let event = try reading.next() { events.append((seconds, event)) }
                // A second call at the same time returns nothing more.
                #expect(try reading.next() == nil)
            } catch {
                Issue.record(error)
            }
        }
        let first = try #require(events.first?.event)
        #expect(first.name == "all" && first.retry == "2000")
        #expect(first.ids == ["ch1", "ch2", "ch3"])
        #expect(first.alerts == [] && first.fields["alert_count"] as? Int == 0)
        #expect(events.dropFirst().allSatisfy { $0.event.name != "all" && $0.event.retry == nil })
        // Events are batched, and the stream is never idle for long.
        let times = events.map(\.seconds)
        for (one, next) in zip(times, times.dropFirst()) {
            #expect((1...10).contains(next - one), "\(one) to \(next)")
        }
        // An update contains only the changed channels: segments of 2 s or more do not arrive for every update.
        #expect(events.contains { $0.event.name == "changes" && $0.event.channels.count < 3 })
        #expect(events.contains { $0.event.name == "changes" && $0.event.alerts == nil })
        let states = events.compactMap { event in
            event.event.state(of: "ch2").map { (seconds: event.seconds, state: $0) }
        }
        let failed = try #require(states.first { $0.state == "unreachable" })
        #expect((60...90).contains(failed.seconds))
        #expect(states.last?.state == "healthy")
        let alerts = events.compactMap(\.event.alerts)
        #expect(alerts.contains(["ch2 playlist.http"]))
        #expect(alerts.last == [])
        #expect(events.allSatisfy { ["healthy", nil].contains($0.event.state(of: "ch1")) })
        let last = try #require(events.last { $0.event.name != "alive" }?.event)
        #expect(last.fields["waiting"] as? Int ?? 0 > 60 && last.fields["lost"] as? Int == 0)
    }

    /// Returns the events of a monitor without channels, with their times; `body` is called each half second.
    private static func events(
        of station: MonitoredStation, for seconds: Double, _ body: (Double) async throws -> Void = { _ in }
    ) async throws -> [(seconds: Double, event: Event)] {
        var (site, reader): (MonitorSite?, Reader?)
        var events: [(seconds: Double, event: Event)] = []
        _ = try await station.monitor([], for: seconds) { monitor, now in
            do {
                let here = site ?? station.site(of: monitor)
                site = here
                let reading = try reader ?? Reader(here)
                reader = reading
                if let event = try reading.next() { events.append((now, event)) }
                try await body(now)
            } catch {
                Issue.record(error)
            }
        }
        return events
    }

    /// The server closes an idle stream.
    @Test func reader_ofMonitorWithoutChannels_receivesAliveEvents() async throws {
        let events = try await Self.events(of: MonitoredStation(channels: 1), for: 36)
        #expect(events.first?.event.name == "all")
        let alive = events.filter { $0.event.name == "alive" }.map(\.seconds)
        #expect(alive.count == 3 && events.last?.event.name == "alive")
        for (one, next) in zip(alive, alive.dropFirst()) { #expect(next - one == 10) }
    }

    @Test func event_ofAMonitorWithManyAlerts_has200OfThem_andTheirNumber() async throws {
        let station = try MonitoredStation(channels: 1, readdress: { _, _ in "/missing" })
        // Each channel has its own host, because the alerts of one host become one alert.
        let channels = station.channels(1...201).map { channel in
            var channel = channel
            channel.url = channel.url.replacing("//127.0.0.1", with: "//\(channel.id).localhost")
            return channel
        }
        var last: Event?
        _ = try await station.monitor(channels, for: 60) { monitor, seconds in
            guard seconds == 59.5 else { return }
            do {
                last = try Reader(station.site(of: monitor)).next()
            } catch {
                Issue.record(error)
            }
        }
        let event = try #require(last)
        #expect(event.ids.count == 201)
        #expect(event.alerts?.count == 200 && event.fields["alert_count"] as? Int == 201)
    }

    @Test func tags_withoutAChangeOfAChannel_areAChange() async throws {
        let station = try MonitoredStation(channels: 1)
        let events = try await Self.events(of: station, for: 20) { seconds in
            if seconds == 5 { try await station.append([NewTag(body: [1]), NewTag(body: [2])]) }
        }
        #expect(events.map(\.event.name).prefix(2) == ["all", "changes"])
        #expect(events.first?.event.fields["waiting"] as? Int == 0)
        let change = try #require(events.dropFirst().first)
        #expect((5...7).contains(change.seconds) && change.event.fields["waiting"] as? Int == 2)
        #expect(change.event.channels.isEmpty)
    }

    /// The state of the monitor is read once a second, however often readers ask for it.
    @Test func change_withinASecond_isSentAfterIt() async throws {
        let station = try MonitoredStation(channels: 1)
        var (site, reader): (MonitorSite?, Reader?)
        var early: Event?
        var late: Event?
        _ = try await station.monitor(station.channels(1...1), for: 32) { monitor, seconds in
            do {
                if seconds == 30 {
                    let here = station.site(of: monitor)
                    site = here
                    let reading = try Reader(here)
                    reader = reading
                    #expect(try reading.next()?.ids == ["ch1"])
                    monitor.follow([])
                    early = try reading.next()
                }
                if seconds == 31 { late = try reader?.next() }
            } catch {
                Issue.record(error)
            }
        }
        #expect(site != nil)
        #expect(early == nil)
        #expect(late?.name == "all" && late?.ids == [])
    }

    @Test func slowReader_receivesOnlyTheNewestOfSeveralChanges() async throws {
        let station = try MonitoredStation(channels: 2, script: "at 60s for 60s channel 2: status 503")
        var (site, reader): (MonitorSite?, Reader?)
        var (first, next): (Event?, Event?)
        _ = try await station.monitor(station.channels(1...2), for: 201) { monitor, seconds in
            do {
                if seconds == 20 {
                    let here = station.site(of: monitor)
                    site = here
                    reader = try Reader(here)
                    first = try reader?.next()
                }
                // Another reader reads all the time and does not affect the first one.
                if seconds > 20, let site { _ = try Reader(site).next() }
                if seconds == 200 { next = try reader?.next() }
            } catch {
                Issue.record(error)
            }
        }
        #expect(first?.state(of: "ch2") == "healthy")
        // The outage in between is over.
        #expect(next?.name == "changes" && next?.state(of: "ch2") == "healthy")
        #expect(next?.ids == ["ch1", "ch2"])
        let since = next?.channels.last?["since"] as? String ?? ""
        #expect(since > first?.channels.last?["since"] as? String ?? "z")
    }

    @Test func addedOrRemovedChannel_resendsAllChannels() async throws {
        let station = try MonitoredStation(channels: 3)
        var (site, reader): (MonitorSite?, Reader?)
        var names: [Double: (String, [String])] = [:]
        _ = try await station.monitor(station.channels(1...2), for: 61) { monitor, seconds in
            do {
                if seconds == 20 {
                    let here = station.site(of: monitor)
                    site = here
                    reader = try Reader(here)
                }
                if seconds == 30 { monitor.follow(station.channels(2...3)) }
                if seconds == 50 { monitor.follow([]) }
                if [20, 29, 40, 60].contains(seconds), let event = try reader?.next() {
                    names[seconds] = (event.name, event.ids)
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(site != nil)
        #expect(names[20]?.0 == "all" && names[29]?.0 == "changes")
        #expect(names[40]?.0 == "all" && names[40]?.1 == ["ch2", "ch3"])
        #expect(names[60]?.0 == "all" && names[60]?.1 == [])
    }

    @Test func readers_beyondTheLimit_areRefused_untilOneLeaves() async throws {
        let station = try MonitoredStation(channels: 1)
        _ = try await station.monitor([], for: 1) { monitor, _ in
            do {
                let site = station.site(of: monitor)
                var readers = try (0..<32).map { _ in try Reader(site) }
                let step = site.step(after: .local("GET", "/events"))
                guard case .answer(let refusal) = step else {
                    Issue.record("a reader too many")
                    return
                }
                #expect(refusal.status == 503)
                #expect(refusal.fields.contains(.init(name: "Retry-After", value: "5")))
                readers.removeLast()
                readers.append(try Reader(site))
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test func alertsOfOneHost_areSentAsOne() async throws {
        let station = try MonitoredStation(channels: 6, script: "at 60s for 120s channel *: status 503")
        var alerts: [String]?
        _ = try await station.monitor(station.channels(1...6), for: 151) { monitor, seconds in
            guard seconds == 150 else { return }
            do {
                alerts = try Reader(station.site(of: monitor)).next()?.alerts
            } catch {
                Issue.record(error)
            }
        }
        let told = alerts?.filter { $0.hasSuffix(" playlist.http") } ?? []
        #expect(told.count == 1 && told[0].hasPrefix("127.0.0.1:"), "\(alerts ?? [])")
    }

    @Test func methodsOtherThanGET_openNoStream() async throws {
        let station = try MonitoredStation(channels: 1)
        _ = try await station.monitor([], for: 1) { monitor, _ in
            let site = station.site(of: monitor)
            for method in ["HEAD", "POST", "DELETE"] {
                let step = site.step(after: .local(method, "/events"))
                guard case .answer(let answer) = step else {
                    Issue.record("\(method) opened a stream")
                    continue
                }
                #expect(answer.status == (method == "HEAD" ? 200 : 405))
            }
        }
    }
}
