import ByteReading
import Glibc

/// The last sequence that was committed, kept in a file of its own, so that a log that lost its end is noticed.
///
/// Written after each commit and never synced: behind the database is harmless, and ahead of it only a database
/// that lost what it had acknowledged can be.
///
///     0      8          12       16
///     | seq  | "DTVH"   | crc-32 of the first 12 |
struct HighWaterMark: ~Copyable {
    enum Reading: Sendable, Hashable {
        case absent
        case damaged
        case sequence(Int64)
    }

    private static let byteCount = 16
    private let file: FileDescriptor

    init(path: String) throws(StoreError) {
        file = try FileDescriptor(path: path, flags: O_RDWR | O_CREAT)
    }

    /// Writes the mark; that it could not be written only leaves it behind.
    borrowing func write(_ sequence: Int64) {
        var bytes = InlineArray<16, UInt8>(repeating: 0)
        for index in 0..<8 {
            bytes[index] = UInt8(truncatingIfNeeded: sequence >> Int64(56 - 8 * index))
        }
        // "DTVH"
        bytes[8] = 0x44
        bytes[9] = 0x54
        bytes[10] = 0x56
        bytes[11] = 0x48
        let sum = CRC32.of(bytes.span.extracting(0..<12))
        for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * index)) }
        _ = file.write(bytes.span)
    }

    borrowing func read() -> Reading {
        guard let bytes = file.read(maximumByteCount: Self.byteCount + 1) else { return .damaged }
        if bytes.isEmpty { return .absent }
        let span = bytes.span
        guard span.count == Self.byteCount, span.hasASCII("DTVH", at: 8),
            span.bigEndianUInt32(at: 12) == CRC32.of(span.extracting(0..<12))
        else { return .damaged }
        let sequence = Int64(bitPattern: span.bigEndianUInt64(at: 0))
        return sequence >= 0 ? .sequence(sequence) : .damaged
    }
}
