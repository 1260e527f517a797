import TextForms

/// What the positions of a track are called: seconds of media from its start, or times of a day.
enum PositionClock: Sendable, Hashable {
    /// Media time from the start of what was read.
    case media
    /// Time of the day in UTC; the position 0 is at so many Unix seconds.
    case wall(origin: Int64)

    /// The Unix time of position 0; nil where nobody knows it.
    var origin: Int64? { if case .wall(let origin) = self { origin } else { nil } }

    /// A position as text.
    func text(_ seconds: Double) -> String {
        guard let origin else { return DecimalText.clock(seconds) }
        let whole = Int64(exactly: seconds.rounded()) ?? 0
        return String(RFC3339.tableText(unixSeconds: origin + whole).suffix(8))
    }
}
