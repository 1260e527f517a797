import HLSPlaylist
import Testing

/// All sequences of five loads of a live playlist, each of any kind.
@Suite struct LoadOrderTests {
    private enum Load: CaseIterable {
        /// One more segment.
        case new
        /// The same version as before, or the answer that it is unchanged.
        case unchanged
        /// The version before the current one, from a cache.
        case older
        case failed
        /// Another encoder, which counts from another number.
        case reset
        case ended
    }

    private struct Version: Hashable {
        var encoder = 0
        var first = 500
        var count = 3
        var isEnded = false

        var names: [String] { (first..<first + count).map { "e\(encoder)s\($0).ts" } }
    }

    /// A server with a window of three segments of one minute each, and its playlists.
    private struct Server {
        let isDated: Bool
        private(set) var version = Version()
        private(set) var earlier = Version()
        private var playlists: [Version: MediaPlaylist] = [:]

        init(isDated: Bool) { self.isDated = isDated }

        mutating func reset() {
            version = Version()
            earlier = version
        }

        mutating func prepare(_ load: Load) {
            let before = version
            switch load {
            case .new where version.count == 3: version.first += 1
            case .new: version.count += 1
            case .reset:
                // Without dates, only lower numbers show that the stream is a different one.
                let encoder = version.encoder + 1
                version = Version(encoder: encoder, first: isDated ? 0 : 500 - 50 * encoder, count: 2)
            case .ended: version.isEnded = true
            case .unchanged, .failed, .older: break
            }
            if version != before { earlier = before }
        }

        mutating func playlist(_ version: Version) throws -> MediaPlaylist {
            if let playlist = playlists[version] { return playlist }
            let minute = version.first % 60
            let date = "2026-01-01T\(10 + version.encoder):\(minute < 10 ? "0" : "")\(minute):00Z"
            let names = version.names.map { $0.dropLast(3) }.joined(separator: " ")
            let playlist = try livePlaylist(
                "\(version.first) | " + names, target: 60, seconds: 60,
                lines: (isDated ? ["#EXT-X-PROGRAM-DATE-TIME:\(date)"] : [])
                    + (version.isEnded ? ["#EXT-X-ENDLIST"] : []))
            playlists[version] = playlist
            return playlist
        }
    }

    @Test(arguments: [true, false])
    func loads_inAnyOrder_returnEachSegmentOnce(isDated: Bool) throws {
        var orders: [[Load]] = [[]]
        for _ in 0..<5 { orders = orders.flatMap { order in Load.allCases.map { order + [$0] } } }
        var server = Server(isDated: isDated)
        for order in orders {
            let problem = try problem(of: order, &server)
            try #require(problem == nil, "\(order)")
        }
    }

    /// Returns the error in the results of a sequence of loads, or nil if there is none.
    private func problem(of order: [Load], _ server: inout Server) throws -> String? {
        server.reset()
        var follower = PlaylistFollower()
        var given: Set<String> = []
        var newest: Int?
        var loaded: Version?
        for (index, load) in order.enumerated() {
            server.prepare(load)
            var seen: Version? = load == .failed ? nil : server.version
            // Without dates, an older version of another encoder looks like a return to that encoder.
            if load == .older, server.isDated || server.earlier.encoder == server.version.encoder {
                seen = server.earlier
            }
            var answer = PlaylistLoad.failed
            if let seen {
                answer = seen == loaded ? .unchanged : .playlist(try server.playlist(seen))
                loaded = seen
            }
            // The loads are a third of a minute apart, so no older version lasts long enough to count as a new stream.
            let update = follower.observe(answer, at: .seconds(20 * index))
            for segment in update.newSegments {
                if !given.insert(segment.uri).inserted { return "\(segment.uri) twice" }
                if let newest, segment.mediaSequence != newest + 1,
                    update.events.isEmpty || update.isContinuation
                {
                    return "number \(segment.mediaSequence) after \(newest)"
                }
                newest = segment.mediaSequence
            }
            if let seen {
                let isLost = seen == server.version && !seen.names.allSatisfy { given.contains($0) }
                if isLost { return "skipped at \(index)" }
                if update.isEnded != seen.isEnded { return "end at \(index)" }
            } else if !update.newSegments.isEmpty || !update.events.isEmpty {
                return "failure at \(index)"
            }
            if update.reloadDelay <= .zero || update.reloadDelay > .seconds(60) { return "delay at \(index)" }
        }
        return nil
    }
}
