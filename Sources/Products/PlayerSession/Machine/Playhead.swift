/// Where playback is, and how it got there.
struct Playhead: Sendable, Hashable {
    /// What a new position says of playback.
    enum Movement: Sendable, Hashable {
        /// It went on.
        case on
        /// It jumped back.
        case back
        /// It jumped forward, further than time has passed.
        case forward
    }

    /// A playhead above this is in milliseconds: as seconds it would be in the year 5138.
    private static let largestSeconds = 100_000_000_000.0
    /// How much further than the time that passed is a jump.
    private static let forwardJump = 30.0
    /// Players report the same moment with and without its fraction.
    private static let tolerance = 1.0
    /// How long nothing must come to count as a pause.
    private static let longestGap = Duration.seconds(1_800)

    /// The position in seconds; nil before the first.
    private(set) var position: Double?
    private var time: Duration?
    /// Whether the last position belongs to another asset.
    private(set) var isOfOtherAsset = false

    /// A position as it was given, in seconds, and whether it came in milliseconds; nil where it cannot be one.
    static func seconds(_ number: Double?) -> (seconds: Double, wasMilliseconds: Bool)? {
        guard let number, number >= 0 else { return nil }
        return number > largestSeconds ? (number / 1_000, true) : (number, false)
    }

    /// Goes to a position, and says how.
    mutating func move(to new: Double, at now: Duration) -> Movement {
        defer {
            position = new
            time = now
            isOfOtherAsset = false
        }
        guard let position, let time else { return .on }
        if new < position - Self.tolerance { return .back }
        return new - position > (now - time) / .seconds(1) + Self.forwardJump ? .forward : .on
    }

    /// Whether so much time has passed since the last position that it counts as a pause.
    func isGap(at now: Duration) -> Bool { time.map { now - $0 > Self.longestGap } ?? false }

    /// Another asset has begun: where its playhead begins is no jump.
    mutating func changeAsset() { isOfOtherAsset = position != nil }
}
