import ByteReading

/// The kind of character that an owner identifier has at one of its 249 positions.
enum OwnerPlace {
    case letter(UInt8)
    case base64
    case digit
    /// The first of the equals signs that pad a base64 piece, with their number.
    case equalsSigns(Int)

    /// `www.nielsen.com/`.
    static let domain: [UInt8] = Array("www.nielsen.com/".utf8)

    /// Creates the kind for a position below 249, which must not be a second equals sign.
    init(_ place: Int) {
        typealias Place = OwnerIdentifier.Offset
        self =
            switch place {
            case ..<Place.pcCID: .letter(Self.domain[place])
            case Place.fdCID - 3, Place.blob - 3: .equalsSigns(2)
            case Place.pcOffset - 2: .equalsSigns(1)
            case Place.fdCID - 1, Place.blob - 1, Place.pcOffset - 1, Place.fdOffset - 1, Place.breakout - 1:
                .letter(0x2F)
            case ..<Place.pcOffset: .base64
            default: .digit
            }
    }

    /// Returns whether a byte is valid at this position.
    func allows(_ byte: UInt8) -> Bool {
        switch self {
        case .letter(let letter): byte == letter
        case .base64: URLSafeBase64.value(of: byte) < 64
        case .digit: byte &- 0x30 < 10
        case .equalsSigns: byte == 0x3D
        }
    }

    /// Returns the last position before `place` that has a `/`.
    static func lastSlash(before place: Int) -> Int {
        typealias Place = OwnerIdentifier.Offset
        let starts = [Place.pcCID, Place.fdCID, Place.blob, Place.pcOffset, Place.fdOffset, Place.breakout]
        return (starts.last { $0 <= place } ?? Place.pcCID) - 1
    }
}
