import HLSPlaylist
import HTTPTransfer
import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

/// The table of measures: what is tried next after which failure.
@Suite(.timeLimit(.minutes(30))) struct EscalationTests {
    // MARK: The value

    private static let limit = Duration.seconds(9)

    @Test(arguments: [401, 403, 404, 410])
    func expiredAddress_leadsToAllMeasures_atOnce(status: Int) {
        var escalation = Escalation()
        for _ in 0..<4 {
            let trouble = escalation.trouble(ofLoad: true, status: status)
            #expect(trouble == .expired)
            #expect(escalation.measures(for: .expired) == Escalation.Measure.allCases)
            #expect(!escalation.returnsToPermanentAddress(after: .expired))
        }
    }

    /// Nil is a failure without a response; 200 one whose body is not a media playlist.
    @Test(arguments: [nil, 200, 304, 400, 408, 429, 500, 502, 503, 504])
    func failure_leadsToMeasures_afterEachThird(status: Int?) {
        var escalation = Escalation()
        for count in 1...9 {
            #expect(escalation.trouble(ofLoad: true, status: status) == .failed)
            #expect(escalation.returnsToPermanentAddress(after: .failed))
            let expected = count.isMultiple(of: 3) ? Escalation.Measure.allCases : []
            #expect(escalation.measures(for: .failed) == expected)
        }
        // A load that succeeds is back to normal.
        #expect(escalation.trouble(ofLoad: false, status: 200) == nil)
        #expect(escalation.trouble(ofLoad: true, status: status) == .failed)
        #expect(escalation.measures(for: .failed).isEmpty)
    }

    /// An ended playlist is loaded rarely, so that its first failure leads to all measures.
    @Test(arguments: [nil, 200, 400, 404, 500, 503])
    func endedPlaylist_thatFails_leadsToAllMeasures(status: Int?) {
        var escalation = Escalation()
        #expect(escalation.measures(for: .ended) == [.multivariantPlaylist, .addressBeforeRedirect])
        #expect(escalation.trouble(ofLoad: false, status: 200, hasEnded: true) == nil)
        #expect(escalation.trouble(ofLoad: true, status: status, hasEnded: true) == .expired)
    }

    @Test func stalePlaylist_isTroubleAfterTheLimit_withDoublingDelays() {
        var escalation = Escalation()
        var rounds: [Int64] = []
        for second in 0..<2_000 {
            let time = Duration.seconds(second)
            if escalation.troubleBeforeLoad(at: time, staleAfter: Self.limit) == .stale {
                rounds.append(Int64(second))
            }
        }
        // The delay grows from 9 s to five minutes.
        #expect(rounds == [10, 19, 37, 73, 145, 289, 577, 877, 1_177, 1_477, 1_777])
        escalation.observeProgress(at: .seconds(2_000))
        #expect(escalation.troubleBeforeLoad(at: .seconds(2_009), staleAfter: Self.limit) == nil)
        #expect(escalation.troubleBeforeLoad(at: .seconds(2_010), staleAfter: Self.limit) == .stale)
    }

    @Test func staleness_isNotMeasuredWhileLoadsFail() {
        var escalation = Escalation()
        #expect(escalation.troubleBeforeLoad(at: .zero, staleAfter: Self.limit) == nil)
        #expect(escalation.trouble(ofLoad: true, status: 500) == .failed)
        #expect(escalation.troubleBeforeLoad(at: .seconds(60), staleAfter: Self.limit) == nil)
        #expect(escalation.trouble(ofLoad: false, status: 200) == nil)
        #expect(escalation.troubleBeforeLoad(at: .seconds(60), staleAfter: Self.limit) == .stale)
    }

    /// Each round begins after the measure of the last one, until a segment is new.
    @Test(arguments: [Escalation.Trouble.stale, .segments])
    func rounds_beginWithTheNextMeasure(trouble: Escalation.Trouble) {
        var escalation = Escalation()
        let all = Escalation.Measure.allCases
        #expect(escalation.measures(for: trouble) == all)
        escalation.observe(.addressBeforeRedirect)
        #expect(
            escalation.measures(for: trouble)
                == [.multivariantPlaylist, .redundantVariant, .addressBeforeRedirect])
        escalation.observe(.multivariantPlaylist)
        #expect(
            escalation.measures(for: trouble)
                == [.redundantVariant, .addressBeforeRedirect, .multivariantPlaylist])
        escalation.observe(.redundantVariant)
        #expect(escalation.measures(for: trouble) == all)
        escalation.observe(.addressBeforeRedirect)
        escalation.observeProgress(at: .zero)
        #expect(escalation.measures(for: trouble) == all)
        #expect(escalation.measures(for: .expired) == all)
    }

    @Test func segments_areTroubleAfterTwoInARow() {
        var escalation = Escalation()
        func trouble(at second: Int) -> Escalation.Trouble? {
            escalation.troubleBeforeLoad(at: .seconds(second), staleAfter: Self.limit)
        }
        #expect(trouble(at: 0) == nil)
        // The same segment is requested again.
        for _ in 0..<5 { escalation.observeSegment(7, isFailure: true) }
        #expect(trouble(at: 1) == nil)
        escalation.observeSegment(8, isFailure: false)
        escalation.observeSegment(9, isFailure: true)
        #expect(trouble(at: 2) == nil)
        escalation.observeSegment(10, isFailure: true)
        #expect(trouble(at: 3) == .segments)
        // New segments in the playlist are no progress while none can be read.
        escalation.observeProgress(at: .seconds(4))
        #expect(trouble(at: 4) == nil && trouble(at: 11) == nil)
        #expect(trouble(at: 12) == .segments)
        #expect(trouble(at: 21) == nil)
        escalation.observeSegment(11, isFailure: false)
        #expect(trouble(at: 13) == nil)
        escalation.observeSegment(12, isFailure: true)
        escalation.observeSegment(13, isFailure: true)
        #expect(trouble(at: 13) == .segments)
    }

    // MARK: Rows of the table

    /// A failure of a playlist that could be loaded before.
    enum Failure: Sendable, Hashable, CaseIterable, CustomTestStringConvertible {
        case status401, status403, status404, status410
        case status400, status429, status500, status503, closed, empty, html, segment, multivariant
        case unchanged, notModified, older
        case segments403, segments404, segments500, segmentsEmpty

        /// The load after the first in which a measure helps.
        func loadCount(_ remedy: Remedy) -> Int {
            switch self {
            case .status401, .status403, .status404, .status410: 1
            // Loads follow after 4, 2 and 2 seconds, and the limit is 6 s.
            case .unchanged, .notModified: 3
            case .older, .segments403, .segments404, .segments500, .segmentsEmpty: 2
            // Each failure leads to the address before the redirect.
            default: remedy == .addressBeforeRedirect ? 2 : 3
            }
        }

        /// Whether the failing address is requested in the load in which the measures follow.
        var isOfLoad: Bool {
            switch self {
            case .unchanged, .notModified, .older, .segments403, .segments404, .segments500, .segmentsEmpty:
                false
            default: true
            }
        }

        var testDescription: String { "\(self)" }
    }

    /// The place where the playlist is found again.
    enum Remedy: Sendable, CaseIterable {
        case addressBeforeRedirect, multivariantPlaylist, redundantVariant
    }

    /// A channel at `/master.m3u8` or `/in` whose playlist is at `/old/index.m3u8` and then at `/new/index.m3u8`.
    private static func site(_ remedy: Remedy) throws -> LiveSite {
        let site = try LiveSite()
        for folder in ["/old/", "/new/"] {
            for index in 0..<5 {
                site[folder + site.stream.segmentNames[index]] = ServedResource(site.stream[index])
            }
        }
        site["/in"] = .redirect(to: "/old/index.m3u8")
        site["/master.m3u8"] =
            remedy == .redundantVariant
            ? multivariant("old/index.m3u8", "new/index.m3u8") : multivariant("old/index.m3u8")
        return site
    }

    private static func multivariant(_ uris: String...) -> ServedResource {
        let lines = uris.flatMap { ["#EXT-X-STREAM-INF:BANDWIDTH=100000", $0] }
        return ServedResource((["#EXTM3U"] + lines).joined(separator: "\n") + "\n")
    }

    private static func fail(_ site: LiveSite, _ failure: Failure) {
        let old = "/old/index.m3u8"
        func refuseSegments(_ answer: ServedResource) {
            site.list([0, 1, 2], at: old)
            for index in 1...4 { site["/old/" + site.stream.segmentNames[index]] = answer }
        }
        switch failure {
        case .status400: site[old] = .status("400 Bad Request")
        case .status401: site[old] = .status("401 Unauthorized")
        case .status403: site[old] = .status("403 Forbidden")
        case .status404: site[old] = .status("404 Not Found")
        case .status410: site[old] = .status("410 Gone")
        case .status429: site[old] = .status("429 Too Many Requests")
        case .status500: site[old] = .status("500 Internal Server Error")
        case .status503: site[old] = .status("503 Service Unavailable")
        case .closed: site[old] = ServedResource("#EXTM3U").with { $0.breaksAfter = 0 }
        case .empty: site[old] = ServedResource("")
        case .html: site[old] = ServedResource("<html><body>Sign in</body></html>")
        case .segment: site[old] = ServedResource(site.stream[0])
        case .multivariant: site[old] = multivariant("x/index.m3u8")
        case .unchanged, .notModified: break
        case .older:
            site[old] = ServedResource(
                site.stream.playlist(segments: [3, 4], header: ["#EXT-X-MEDIA-SEQUENCE:98"], isEnded: false))
        case .segments403: refuseSegments(.status("403 Forbidden"))
        case .segments404: refuseSegments(.status("404 Not Found"))
        case .segments500: refuseSegments(.status("500 Internal Server Error"))
        case .segmentsEmpty: refuseSegments(ServedResource(""))
        }
    }

    @Test(arguments: Remedy.allCases, Failure.allCases)
    func failure_leadsToTheMeasureThatHelps(remedy: Remedy, failure: Failure) async throws {
        let site = try Self.site(remedy)
        let tag = failure == .notModified ? ["ETag: \"v1\""] : []
        site.list([0], at: "/old/index.m3u8", headers: tag)
        let isDirect = remedy == .addressBeforeRedirect
        var reader = try await LiveReader(site.base + (isDirect ? "/in" : "/master.m3u8"))
        _ = await reader.load()
        Self.fail(site, failure)
        site.list([0, 1, 2, 3], at: "/new/index.m3u8")
        site["/in"] = .redirect(to: "/new/index.m3u8")
        if remedy == .multivariantPlaylist { site["/master.m3u8"] = Self.multivariant("new/index.m3u8") }
        for _ in 1..<failure.loadCount(remedy) { _ = await reader.load() }
        #expect(!site.targets.contains("/new/index.m3u8"))
        let before = site.targets.count
        let load = await reader.load()
        if isDirect, failure == .multivariant {
            // The channel now has variants, and one must be chosen.
            #expect(reader.rendition.isGone)
            return
        }
        #expect(load.failure == nil && !reader.rendition.isGone)
        let playlists = site.targets[before...].filter { $0.hasSuffix(".m3u8") || $0 == "/in" }
        let requests: [String] =
            switch remedy {
            case .addressBeforeRedirect: ["/in", "/new/index.m3u8"]
            case .multivariantPlaylist: ["/master.m3u8", "/new/index.m3u8"]
            case .redundantVariant: ["/master.m3u8", "/new/index.m3u8"]
            }
        // A connection that breaks is tried twice in one load.
        let failing = playlists.prefix { $0 == "/old/index.m3u8" }
        #expect(failing.isEmpty != (failure.isOfLoad && (!isDirect || failure.loadCount(remedy) == 1)))
        #expect(Array(playlists.dropFirst(failing.count)) == requests, "\(playlists)")
        // The new address stays in use.
        site.list([1, 2, 3, 4], at: "/new/index.m3u8")
        #expect(await reader.load().segments.map(\.mediaSequence) == [104])
        #expect(reader.owners.suffix(2) == site.stream.owners(inSegments: [3, 4]).suffix(2))
        #expect(Set(reader.owners).isSuperset(of: site.stream.owners(inSegments: [0, 3, 4])))
    }

    /// The playlist lists the segments that failed, at their new addresses.
    @Test(arguments: Remedy.allCases, [Failure.segments403, .segments404, .segments500])
    func segment_thatTheOldEdgeRefused_isReadAtTheNewOne(remedy: Remedy, failure: Failure) async throws {
        let site = try Self.site(remedy)
        site.list([0], at: "/old/index.m3u8")
        var reader = try await LiveReader(
            site.base + (remedy == .addressBeforeRedirect ? "/in" : "/master.m3u8"))
        _ = await reader.load()
        Self.fail(site, failure)
        site.list([0, 1, 2, 3], at: "/new/index.m3u8")
        site["/in"] = .redirect(to: "/new/index.m3u8")
        if remedy == .multivariantPlaylist { site["/master.m3u8"] = Self.multivariant("new/index.m3u8") }
        let refused = await reader.load()
        #expect(refused.segments.map(\.mediaSequence) == [101, 102] && reader.failures.count == 2)
        let load = await reader.rendition.load(at: .seconds(8), jitter: 1, awaiting: 101...102)
        #expect(load.awaited.map(\.mediaSequence) == [101, 102])
        for (index, segment) in load.awaited.enumerated() {
            let again = refused.segments[index].relisted(as: segment)
            let late = await reader.rendition.readLate(again, from: reader.readings[1 + index])
            let owners = late.reading.tags.map { String(decoding: $0.tag.ownerIdentifier, as: UTF8.self) }
            #expect(late.failure == nil && owners == site.stream.owners(inSegments: [1 + index]))
        }
        let requested = site.targets.filter { $0.hasPrefix("/new/seg") }
        #expect(requested == site.stream.segmentNames[1...2].map { "/new/" + $0 })
    }

    // MARK: Sequences of measures

    /// The first address redirects to the same edge, so the second round loads the multivariant playlist.
    @Test func staleEdge_behindARedirectThatStays_isLeftByTheMultivariantPlaylist() async throws {
        let site = try Self.site(.multivariantPlaylist)
        site["/first/index.m3u8"] = .redirect(to: "/old/index.m3u8")
        site["/master.m3u8"] = Self.multivariant("first/index.m3u8")
        site.list([0], at: "/old/index.m3u8")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        _ = await reader.load()
        site["/master.m3u8"] = Self.multivariant("new/index.m3u8")
        site.list([0, 1], at: "/new/index.m3u8")
        var count = 0
        while !site.targets.contains("/new/index.m3u8"), count < 12 {
            _ = await reader.load()
            count += 1
        }
        #expect(count <= 7 && reader.owners == site.stream.owners(inSegments: [0, 1]))
        #expect(site.targets.count { $0 == "/first/index.m3u8" } == 2)
    }

    /// All addresses are stale: the requests stay rare, and the channel continues at the first address that does.
    @Test func staleChannel_withoutAnotherAddress_isExaminedRarely() async throws {
        let site = try Self.site(.redundantVariant)
        site.list([0], at: "/old/index.m3u8")
        site.list([0], at: "/new/index.m3u8")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        // Two seconds apart: two minutes.
        for _ in 0..<60 { _ = await reader.load() }
        #expect((6...20).contains(site.targets.count { $0 == "/master.m3u8" }))
        #expect(site.targets.count < 90)
        site.list([0, 1], at: "/old/index.m3u8")
        site.list([0, 1], at: "/new/index.m3u8")
        #expect(await reader.load().segments.map(\.mediaSequence) == [101])
    }

    /// Neither the chosen variant nor its server was there before.
    @Test(arguments: ["404 Not Found", "403 Forbidden", "503 Service Unavailable", "refused"])
    func redundantVariant_isUsed_whereTheChosenOneIsDeadFromTheStart(status: String) async throws {
        let site = try Self.site(.redundantVariant)
        if status == "refused" {
            let dead = try LoopbackServer { _ in [.close] }
            dead.stop()
            site["/master.m3u8"] = Self.multivariant(dead.base + "/index.m3u8", "new/index.m3u8")
        } else {
            site["/old/index.m3u8"] = .status(status)
        }
        site.list([0, 1], at: "/new/index.m3u8")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        let isExpired = status.hasPrefix("40")
        for _ in 0..<(isExpired ? 0 : 2) { #expect(await reader.load().failure != nil) }
        #expect(await reader.load().failure == nil)
        #expect(reader.owners == site.stream.owners(inSegments: [0, 1]))
        #expect(!reader.rendition.isGone)
    }

    @Test(arguments: ["404 Not Found", "500 Internal Server Error"])
    func redundantVariant_thatFailsLater_isLeftForTheFirst(status: String) async throws {
        let site = try Self.site(.redundantVariant)
        site.list([0], at: "/old/index.m3u8")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        _ = await reader.load()
        site["/old/index.m3u8"] = .status("404 Not Found")
        site.list([0, 1], at: "/new/index.m3u8")
        #expect(await reader.load().failure == nil)
        site["/new/index.m3u8"] = .status(status)
        site.list([0, 1, 2], at: "/old/index.m3u8")
        for _ in 0..<(status.hasPrefix("404") ? 0 : 2) { #expect(await reader.load().failure != nil) }
        #expect(await reader.load().failure == nil)
        #expect(reader.owners == site.stream.owners(inSegments: [0, 1, 2]))
        site.list([0, 1, 2, 3], at: "/old/index.m3u8")
        #expect(await reader.load().segments.map(\.mediaSequence) == [103])
    }

    /// Two isolated segments that are requested again and again do not move the rendition.
    @Test func isolatedMissingSegments_leadToNoMeasure() async throws {
        let site = try Self.site(.redundantVariant)
        for index in [1, 3] { site["/old/" + site.stream.segmentNames[index]] = .status("404 Not Found") }
        site.list([0, 1, 2, 3, 4], at: "/old/index.m3u8")
        var reader = try await LiveReader(site.base + "/master.m3u8")
        let load = await reader.load()
        for _ in 0..<3 {
            for index in [1, 3] {
                _ = await reader.rendition.readLate(load.segments[index], from: reader.readings[index])
            }
        }
        _ = await reader.load()
        #expect(site.targets.count { $0 == "/master.m3u8" } == 1)
        #expect(!site.targets.contains("/new/index.m3u8"))
    }

    /// A server that accepts requests and sends nothing costs ten seconds a load.
    @Test func hangingPlaylist_isLeftAfterThreeLoads() async throws {
        let stream = try SyntheticStream.transport.get()
        let text = stream.playlist(segments: [0], header: ["#EXT-X-MEDIA-SEQUENCE:100"], isEnded: false)
        let server = try LoopbackServer { request in
            switch request.target {
            case "/master.m3u8": Self.multivariant("a.m3u8", "b.m3u8").answer(to: request)
            case "/a.m3u8": [.hang]
            case "/b.m3u8": ServedResource(text).answer(to: request)
            default: ServedResource(stream[0]).answer(to: request)
            }
        }
        defer { server.stop() }
        var reader = try await LiveReader(server.base + "/master.m3u8")
        #expect(await reader.load().failure != nil)
        #expect(await reader.load().failure != nil)
        #expect(await reader.load().failure == nil)
        #expect(reader.owners == stream.owners(inSegments: [0]))
    }
}
