/// The first place at which an owner identifier breaks the expression for it.
public struct FormatDefect: Sendable, Hashable, CustomStringConvertible {
    /// The pieces of an owner identifier, in their order.
    public enum Piece: String, Sendable, Hashable, CaseIterable {
        /// `www.nielsen.com`.
        case domain
        /// The program content id: 22 characters of base64 and `==`.
        case pcCID = "PC CID"
        /// The final distributor id: 22 characters of base64 and `==`.
        case fdCID = "FD CID"
        /// The blob: 167 characters of base64 and `=`.
        case blob = "EDU blob"
        /// Five digits.
        case pcOffset = "PC offset"
        /// Five digits.
        case fdOffset = "FD offset"
        /// Two digits.
        case breakout
        /// What follows where nothing may.
        case end
    }

    /// The piece that is wrong.
    public let piece: Piece

    /// Which character of the owner identifier is the first wrong one, 0 for the first of all.
    ///
    /// Where the identifier ends too early this is its length.
    public let character: Int

    /// One defect.
    public init(piece: Piece, character: Int) {
        self.piece = piece
        self.character = character
    }

    /// The defect as people read it, as in `FD CID, character 47`.
    public var description: String { "\(piece.rawValue), character \(character)" }
}
