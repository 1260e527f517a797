/// The playback position, and the time at which it was reported.
struct Playhead: Sendable, Hashable {
    /// The movement of playback to a new position.
    enum Movement: Sendable, Hashable {
        /// Playback continued.
        case on
        /// Playback jumped back.
        case back
        /// Playback jumped forward, further than time has passed.
        case forward
    }

    /// The largest position in seconds: a larger number is in milliseconds, because in seconds it is in the year 5138.
    private static let largestSeconds = 100_000_000_000.0
    /// The seconds beyond the elapsed time that make a jump.
    private static let forwardJump = 30.0
    /// The seconds back that are not a jump: players report the same moment with and without its fraction.
    static let tolerance = 1.0
    /// The longest time without a call that is not a pause.
    static let longestGap = Duration.seconds(1_800)

    /// The position in seconds; nil before the first.
    private(set) var position: Double?
    private var time: Duration?
    /// Whether the last position belongs to another asset.
    private(set) var isOfOtherAsset = false

    /// Converts a number to seconds, and returns whether it was in milliseconds; nil if it is not a position.
    static func seconds(_ number: Double?) -> (seconds: Double, wasMilliseconds: Bool)? {
        guard let number, number >= 0 else { return nil }
        return number > largestSeconds ? (number / 1_000, true) : (number, false)
    }

    /// Moves to a position, and returns how playback got there.
    mutating func move(to new: Double, at now: Duration) -> Movement {
        defer {
            position = new
            time = now
            isOfOtherAsset = false
        }
        guard let position, let time else { return .on }
        if new < position - Self.tolerance { return .back }
        // Converting the elapsed time is slow, and only a jump needs it.
        if new - position <= Self.forwardJump { return .on }
        return new - position > (now - time) / .seconds(1) + Self.forwardJump ? .forward : .on
    }

    /// Starts another asset: its first playhead may be before the last one.
    mutating func changeAsset() { isOfOtherAsset = position != nil }
}
