internal import ISOBMFF

/// The tracks declared by an initialization segment, keyed by track ID.
struct MovieTracks: Sendable, Hashable {
    struct Track: Sendable, Hashable {
        var timescale: UInt32?
        var kind: BoxType?
        var defaultSampleDuration: UInt32 = 0
    }

    /// The maximum number of tracks, more than any real presentation has.
    private static let maximumCount = 256

    private var tracks: [UInt32: Track] = [:]
    private var trackID: UInt32?

    init() {}

    /// Whether no track is declared.
    var isEmpty: Bool { tracks.isEmpty }

    /// The approximate memory of the tracks, in bytes.
    var byteCount: Int { tracks.count * MemoryLayout<(UInt32, Track)>.stride }

    subscript(trackID: UInt32) -> Track? { tracks[trackID] }

    /// Begins a track, whose ID follows in its header box.
    mutating func beginTrack() { trackID = nil }

    mutating func add(_ header: TrackHeaderBox) {
        trackID = header.trackID
        change(header.trackID) { _ in }
    }

    mutating func add(_ header: MediaHeaderBox) {
        if let trackID { change(trackID) { $0.timescale = header.timescale } }
    }

    mutating func add(_ handler: HandlerBox) {
        if let trackID { change(trackID) { $0.kind = handler.kind } }
    }

    mutating func add(_ extends: TrackExtendsBox) {
        change(extends.trackID) { $0.defaultSampleDuration = extends.defaultSampleDuration }
    }

    private mutating func change(_ trackID: UInt32, _ body: (inout Track) -> Void) {
        guard tracks[trackID] != nil || tracks.count < Self.maximumCount else { return }
        body(&tracks[trackID, default: Track()])
    }
}
