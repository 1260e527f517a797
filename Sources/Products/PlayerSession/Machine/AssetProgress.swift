/// The progress of playback through an asset, from its playheads.
struct AssetProgress: Sendable {
    /// The first playhead and the last; nil before the first.
    private(set) var range: (first: Double, last: Double)?
    /// The seconds played, without jumps.
    private(set) var watched = 0.0

    /// Records a playhead, and how playback moved to it.
    mutating func move(to position: Double, _ movement: Playhead.Movement) {
        guard let range else {
            self.range = (position, position)
            return
        }
        if movement == .on { watched += max(0, position - range.last) }
        self.range = (range.first, position)
    }
}
