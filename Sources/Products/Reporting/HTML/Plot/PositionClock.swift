import TextForms

/// The clock that displays the positions of a track: seconds of media from its start, or time of day.
enum PositionClock: Sendable, Hashable {
    /// Media time from the start of the reading.
    case media
    /// Time of day in UTC, where position 0 is at `origin` in Unix seconds.
    case wall(origin: Int64)

    /// The Unix time of position 0; nil for media time.
    var origin: Int64? { if case .wall(let origin) = self { origin } else { nil } }

    /// Returns a position as text.
    func text(_ seconds: Double) -> String {
        guard let origin else { return DecimalText.clock(seconds) }
        let whole = Int64(exactly: seconds.rounded()) ?? 0
        return String(RFC3339.tableText(unixSeconds: origin + whole).suffix(8))
    }
}
