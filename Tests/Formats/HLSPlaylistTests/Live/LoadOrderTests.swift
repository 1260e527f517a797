import HLSPlaylist
import Testing

/// Every order of what a load of a live playlist may be, six loads long.
@Suite struct LoadOrderTests {
    private enum Load: CaseIterable {
        case new, unchanged, failed, reset, ended
    }

    /// A server that adds a segment to a window of three, starts over, and ends.
    private struct Server {
        let isDated: Bool
        var encoder = 0
        var first = 500
        var count = 3
        var seconds = 0
        var isEnded = false

        mutating func prepare(_ load: Load) {
            switch load {
            case .new: if count == 3 { first += 1 } else { count += 1 }
            case .unchanged, .failed: break
            case .reset:
                encoder += 1
                // Without dates only lower numbers tell that the stream is another one.
                first = isDated ? 0 : 500 - 50 * encoder
                count = 2
                seconds = 3_600 * encoder
                isEnded = false
            case .ended: isEnded = true
            }
        }

        var names: [String] { (first..<first + count).map { "e\(encoder)s\($0)" } }

        func playlist() throws -> MediaPlaylist {
            let minutes = seconds / 60 + first % 60
            let date =
                "#EXT-X-PROGRAM-DATE-TIME:2026-01-0\(1 + minutes / 1_440)T\(pad(minutes / 60 % 24)):\(pad(minutes % 60)):00Z"
            return try livePlaylist(
                "\(first) | " + names.joined(separator: " "), target: 60, seconds: 60,
                lines: (isDated ? [date] : []) + (isEnded ? ["#EXT-X-ENDLIST"] : []))
        }

        private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    }

    @Test(arguments: [true, false])
    func loads_inEveryOrder_giveEachSegmentOnce(isDated: Bool) throws {
        let length = 6
        var orders: [[Load]] = [[]]
        for _ in 0..<length { orders = orders.flatMap { order in Load.allCases.map { order + [$0] } } }
        for order in orders {
            let problem = try problem(of: order, isDated: isDated)
            try #require(problem == nil, "\(order)")
        }
    }

    /// What is wrong with what comes of an order of loads; nil where all is right.
    private func problem(of order: [Load], isDated: Bool) throws -> String? {
        var server = Server(isDated: isDated)
        var follower = PlaylistFollower()
        var given: Set<String> = []
        var newest: Int?
        for (index, load) in order.enumerated() {
            server.prepare(load)
            let isUnchanged = load == .unchanged && index > 0 && order[index - 1] != .failed
            let playlist = try server.playlist()
            let seen: PlaylistLoad =
                load == .failed ? .failed : isUnchanged ? .unchanged : .playlist(playlist)
            let update = follower.observe(seen, at: .seconds(60 * index))
            if load == .failed, !update.newSegments.isEmpty || !update.events.isEmpty {
                return "failure \(index)"
            }
            for segment in update.newSegments {
                if !given.insert(segment.uri).inserted { return "\(segment.uri) twice" }
                if let newest, segment.mediaSequence != newest + 1,
                    update.events.isEmpty || update.isContinuation
                {
                    return "number \(segment.mediaSequence) after \(newest)"
                }
                newest = segment.mediaSequence
            }
            if case .playlist = seen {
                if !server.names.allSatisfy({ given.contains($0 + ".ts") }) { return "skipped at \(index)" }
                if update.isEnded != server.isEnded { return "end at \(index)" }
            }
            if update.reloadDelay <= .zero || update.reloadDelay > .seconds(60) { return "delay at \(index)" }
        }
        return nil
    }
}
