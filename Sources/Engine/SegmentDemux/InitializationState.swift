package import ID3v2

/// The state that a media initialization section sets for the segments after it (RFC 8216, 3.2 and 3.3): the program
/// map of a transport stream, or the tracks of fragmented MP4.
///
/// Restoring it has the same effect as reading the section again. Equal states share their storage, so a comparison
/// costs nothing while no segment changes the state.
package struct InitializationState: Sendable, Hashable {
    /// The program map, or nil if the section is not a transport stream.
    var map: ProgramMap?
    /// The tracks, or nil if the section is not fragmented MP4.
    var tracks: MovieTracks?

    /// Creates the state of a section that initializes nothing.
    package init() {}

    init(map: ProgramMap) { self.map = map }

    init(tracks: MovieTracks) { self.tracks = tracks }

    /// Whether the section declared neither a program nor a track, so that it initializes nothing.
    package var isEmpty: Bool {
        let hasProgram = map?.programs.contains { $0.pmt != nil } ?? false
        let hasTrack = tracks?.isEmpty == false
        return !hasProgram && !hasTrack
    }

    /// The approximate memory of the state, in bytes.
    package var byteCount: Int { (map?.packets.count ?? 0) + (tracks?.byteCount ?? 0) + 256 }
}

extension SegmentDemuxer {
    /// Forgets the tracks of earlier initialization sections, so that none of them gives the following segments wrong
    /// times.
    ///
    /// The program map stays: times in a transport stream do not depend on it.
    package mutating func forgetTracks() { fragmentedMP4.tracks = MovieTracks() }

    /// Returns the state that the last segment has set, which was an initialization section with these facts.
    package func initializationState(setBy facts: CarriageFacts) -> InitializationState {
        switch facts.container {
        case .transportStream: InitializationState(map: transportStream.map)
        case .fragmentedMP4: InitializationState(tracks: fragmentedMP4.tracks)
        case .packedAudio, .unknown: InitializationState()
        }
    }

    /// Restores the state that an initialization section has set, unless it is still in force.
    package mutating func restore(_ state: InitializationState) {
        if let map = state.map { transportStream.restore(map) }
        if let tracks = state.tracks, tracks != fragmentedMP4.tracks { fragmentedMP4.tracks = tracks }
    }
}
