import ByteReading
import TagRecord

/// The schedule as the few bytes that the store keeps for it.
///
///     version  1 byte: 2
///     sink     8 bytes of SHA-256 of the sink's identity
///     state    1 byte: 0 ready, 1 backing off, 2 holding
///     encoding 1 byte
///     seven numbers of 8 bytes, big-endian: until, planned wait, not before, failures, limit,
///              suspects × 2³² + unanswered, time of the last success or the least number
///     reason   the rest, UTF-8
///
/// Version 1 had no time of the last success, and is still read.
extension DeliverySchedule {
    static let blobVersion: UInt8 = 2
    static let maximumReasonByteCount = 500
    /// What comes before the numbers.
    private static let frontByteCount = 11

    /// The schedule as bytes.
    package func encoded(for identity: String) -> [UInt8] {
        var bytes = [Self.blobVersion] + Self.mark(of: identity)
        let (kind, until, reason): (UInt8, Int64, String) =
            switch state {
            case .ready: (0, 0, "")
            case .backingOff(let until, let reason): (1, until, reason)
            case .holding(let until, let reason): (2, until, reason)
            }
        bytes += [kind, encoding.rawValue]
        let counts = Int64(suspectCount) << 32 | Int64(unansweredCount)
        for number in [
            until, plannedWait, notBefore, Int64(failureCount), Int64(limit), counts, lastSuccess ?? .min,
        ] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
            }
        }
        var text = reason
        while text.utf8.count > Self.maximumReasonByteCount { text.removeLast() }
        return bytes + Array(text.utf8)
    }

    /// The schedule that was encoded for this sink; a new one where the bytes are damaged, of another version,
    /// or for another sink: what is lost with it is a wait and what was learned of the sink.
    package init(_ bytes: [UInt8], for identity: String) {
        guard bytes.count >= 9, Array(bytes[1..<9]) == Self.mark(of: identity),
            let schedule = DeliverySchedule(forAnySink: bytes)
        else {
            self.init()
            return
        }
        self = schedule
    }

    /// The schedule that was encoded, whichever sink it is for: for somebody who looks, and does not send.
    ///
    /// Nil where the bytes are damaged or of another version.
    package init?(forAnySink bytes: [UInt8]) {
        self.init()
        guard let numberCount = bytes.first.flatMap(Self.numberCount(inVersion:)) else { return nil }
        let fixedByteCount = Self.frontByteCount + numberCount * 8
        guard bytes.count >= fixedByteCount, let encoding = ContentEncoding(rawValue: bytes[10]) else {
            return nil
        }
        let numbers = (0..<numberCount).map { index -> Int64 in
            let start = Self.frontByteCount + index * 8
            return Int64(bitPattern: bytes.span.bigEndianUInt64(at: start))
        }
        let suspects = Int(numbers[5] >> 32)
        let unanswered = Int(numbers[5] & 0xFFFF_FFFF)
        guard (0...Self.maximumRetryAfter).contains(numbers[1]), (0...1_000_000_000).contains(numbers[3]),
            (1...Int64(Self.maximumCount)).contains(numbers[4]), (0...Self.maximumCount).contains(suspects),
            (0...Self.maximumCount).contains(unanswered)
        else { return nil }
        let reason = String(
            decoding: bytes[fixedByteCount...].prefix(Self.maximumReasonByteCount), as: UTF8.self)
        switch bytes[9] {
        case 0: state = .ready
        case 1: state = .backingOff(until: numbers[0], reason: reason)
        case 2: state = .holding(until: numbers[0], reason: reason)
        default: return nil
        }
        self.encoding = encoding
        plannedWait = numbers[1]
        notBefore = numbers[2]
        failureCount = Int(numbers[3])
        limit = Int(numbers[4])
        suspectCount = suspects
        unansweredCount = unanswered
        if numberCount > 6, numbers[6] != .min { lastSuccess = numbers[6] }
    }

    private static func numberCount(inVersion version: UInt8) -> Int? {
        switch version {
        case 1: 6
        case blobVersion: 7
        default: nil
        }
    }

    private static func mark(of identity: String) -> [UInt8] {
        Array(Digest.sha256(Array(identity.utf8)).prefix(8))
    }
}
