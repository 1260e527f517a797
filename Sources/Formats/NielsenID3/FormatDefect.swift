/// The first position at which an owner identifier does not match its regular expression.
public struct FormatDefect: Sendable, Hashable, CustomStringConvertible {
    /// The pieces of an owner identifier, in order.
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
        /// Extra characters after the last piece.
        case end
    }

    /// The invalid piece.
    public let piece: Piece

    /// The index of the first invalid character in the owner identifier, counted from 0.
    ///
    /// If the identifier is truncated, this is its length.
    public let character: Int

    /// Creates a defect.
    package init(piece: Piece, character: Int) {
        self.piece = piece
        self.character = character
    }

    /// The defect in readable form, as in `FD CID, character 47`.
    public var description: String { "\(piece.rawValue), character \(character)" }
}
