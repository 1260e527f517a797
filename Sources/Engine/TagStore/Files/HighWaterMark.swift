internal import ByteReading
internal import HostSystem

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

        /// The sequence, where there is one.
        var sequence: Int64? {
            if case .sequence(let sequence) = self { sequence } else { nil }
        }

        /// What a file of those bytes says.
        init(_ bytes: Span<UInt8>) {
            if bytes.isEmpty {
                self = .absent
                return
            }
            guard bytes.count == HighWaterMark.byteCount, bytes.hasASCII("DTVH", at: 8),
                bytes.bigEndianUInt32(at: 12) == CRC32.of(bytes.extracting(0..<12))
            else {
                self = .damaged
                return
            }
            let sequence = Int64(bitPattern: bytes.bigEndianUInt64(at: 0))
            self = (0...Ledger.maximumCount).contains(sequence) ? .sequence(sequence) : .damaged
        }
    }

    private static let byteCount = 16
    private let file: FileDescriptor

    init(path: String) throws(SystemError) {
        file = try FileDescriptor(path: path, options: [.readingAndWriting, .create])
    }

    /// The bytes of a file for that sequence.
    static func bytes(_ sequence: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes.append(bigEndian: sequence)
        bytes += Array("DTVH".utf8)
        bytes.append(bigEndian: CRC32.of(bytes.span))
        return bytes
    }

    /// Writes the mark; that it could not be written only leaves it behind.
    borrowing func write(_ sequence: Int64) {
        let bytes = Self.bytes(sequence)
        do throws(SystemError) {
            try file.write(bytes.span, at: 0)
        } catch {
            // The next commit tries again.
        }
    }

    borrowing func read() -> Reading {
        do throws(SystemError) {
            let bytes = try file.firstBytes(Self.byteCount + 1)
            return Reading(bytes.span)
        } catch {
            return .damaged
        }
    }
}
