/// How far an asset was played, by its playheads.
struct AssetProgress: Sendable {
    /// The first playhead and the last; nil before the first.
    private(set) var range: (first: Double, last: Double)?
    /// By how many seconds the playhead went on, without its jumps.
    private(set) var watched = 0.0

    /// Takes a playhead, and whether playback went on to it.
    mutating func move(to position: Double, _ movement: Playhead.Movement) {
        guard let range else {
            self.range = (position, position)
            return
        }
        if movement == .on { watched += max(0, position - range.last) }
        self.range = (range.first, position)
    }
}
