import ByteReading

/// The binary format of schedules before they were JSON.
///
///     version  1 byte: 1 or 2
///     sink     8 bytes of SHA-256 of the sink's identity
///     state    1 byte: 0 ready, 1 backing off, 2 holding
///     encoding 1 byte: 0 zstd, 1 gzip, 2 identity
///     seven numbers of 8 bytes, big-endian: until, planned wait, the end of a Retry-After, failures, limit,
///              suspects × 2³² + unanswered, time of the last success or Int64.min for none
///     reason   the rest, UTF-8
///
/// Version 1 has six numbers, without the time of the last success.
extension DeliverySchedule.Record {
    /// The bytes before the numbers.
    private static let frontByteCount = 11

    /// Reads a record in the binary format; nil if the bytes are invalid.
    init?(earlierForm bytes: Span<UInt8>) {
        guard bytes.count >= Self.frontByteCount, let numberCount = [1: 6, 2: 7][Int(bytes[0])] else {
            return nil
        }
        let fixedByteCount = Self.frontByteCount + numberCount * 8
        let states = ["ready", "backing-off", "holding"]
        guard bytes.count >= fixedByteCount, Int(bytes[9]) < states.count,
            let encoding = ContentEncoding(rawValue: bytes[10])
        else { return nil }
        func number(_ index: Int) -> Int64 {
            Int64(bitPattern: bytes.bigEndianUInt64(at: Self.frontByteCount + index * 8))
        }
        self.init(
            sink: Hexadecimal.text(bytes.copy(1..<9)), state: states[Int(bytes[9])], until: number(0),
            reason: String(decoding: bytes.copy(fixedByteCount..<bytes.count), as: UTF8.self),
            encoding: encoding.name, plannedWaitMilliseconds: number(1),
            failures: Int(clamping: number(3)), limit: Int(clamping: number(4)),
            suspects: Int(number(5) >> 32), unanswered: Int(number(5) & 0xFFFF_FFFF), lastSuccess: nil)
        if numberCount > 6, number(6) != .min { lastSuccess = number(6) }
    }
}
