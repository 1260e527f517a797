import HLSPlaylist
import Testing

/// A load of a live playlist, written in a few words, and its expected results.
///
/// A version is `number | segments`. A segment is a name after optional marks: `!` is a discontinuity, `~` a gap, `(`
/// EXT-X-CUE-OUT, `)` EXT-X-CUE-IN. The results are the media sequence numbers of the new segments.
struct Step {
    var load: PlaylistLoad
    var new: [Int]
    var events: [PlaylistEvent] = []
    var isReset = false

    init(_ load: PlaylistLoad, new: [Int] = [], events: [PlaylistEvent] = [], isReset: Bool = false) {
        self.load = load
        self.new = new
        self.events = events
        self.isReset = isReset
    }

    init(
        _ version: String, discontinuities: Int? = nil, target: Int = 10, seconds: Double = 10,
        lines: [String] = [],
        new: [Int], events: [PlaylistEvent] = [], isReset: Bool = false
    ) throws {
        let playlist = try livePlaylist(
            version, discontinuities: discontinuities, target: target, seconds: seconds, lines: lines)
        self.init(.playlist(playlist), new: new, events: events, isReset: isReset)
    }
}

/// Returns a version of a live playlist, written as in `Step`; without a number it has no EXT-X-MEDIA-SEQUENCE.
func livePlaylist(
    _ version: String, discontinuities: Int? = nil, target: Int = 10, seconds: Double = 10,
    lines: [String] = []
) throws -> MediaPlaylist {
    let parts = version.split(separator: "|", omittingEmptySubsequences: false)
    let number = parts[0].filter { $0 != " " }
    var text = ["#EXTM3U", "#EXT-X-TARGETDURATION:\(target)"]
    if !number.isEmpty { text.append("#EXT-X-MEDIA-SEQUENCE:\(number)") }
    if let discontinuities { text.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuities)") }
    text += lines
    for var segment in parts[1].split(separator: " ") {
        while let mark = segment.first, let tag = tags[mark] {
            text.append(tag)
            segment = segment.dropFirst()
        }
        text += ["#EXTINF:\(seconds),", "\(segment).ts"]
    }
    let playlist = try Playlist(parsing: Array(text.joined(separator: "\n").utf8).span)
    guard case .media(let media) = playlist else { throw WrongKind() }
    return media
}

private let tags: [Character: String] = [
    "!": "#EXT-X-DISCONTINUITY", "~": "#EXT-X-GAP", "(": "#EXT-X-CUE-OUT:30", ")": "#EXT-X-CUE-IN",
]

/// Follows the steps, which are ten seconds apart, and compares the results of each with the expected ones.
func expectSequence(
    _ steps: [Step], startingAfter: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    var follower = PlaylistFollower(startingAfter: startingAfter)
    for (index, step) in steps.enumerated() {
        let update = follower.observe(step.load, at: .seconds(10 * index))
        #expect(
            update.newSegments.map(\.mediaSequence) == step.new, "step \(index)",
            sourceLocation: sourceLocation)
        #expect(update.events == step.events, "step \(index)", sourceLocation: sourceLocation)
        #expect(update.isReset == step.isReset, "step \(index)", sourceLocation: sourceLocation)
    }
}
