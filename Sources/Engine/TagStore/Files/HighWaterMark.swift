internal import ByteReading
internal import HostSystem

/// The last sequence that was committed, kept in a file of its own, so that a log that lost its end is noticed.
///
/// Written after each commit and never synced: below the database's last sequence it is harmless, and it is above that
/// only where a database lost what it had acknowledged.
///
/// After it stands what is known of tags that are in memory only: this file has its bytes from the beginning, so they can
/// be written when the disk has none left.
///
///     0      8          12       16        40
///     | seq  | "DTVH"   | crc-32 | overflow |
struct HighWaterMark: ~Copyable {
    enum Reading: Sendable, Hashable {
        case absent
        case damaged
        case sequence(Int64)

        /// The sequence, where there is one.
        var sequence: Int64? {
            if case .sequence(let sequence) = self { sequence } else { nil }
        }

        /// What a file that begins with those bytes says.
        init(_ bytes: Span<UInt8>) {
            if bytes.isEmpty {
                self = .absent
                return
            }
            guard bytes.count >= HighWaterMark.byteCount, bytes.hasASCII("DTVH", at: 8),
                bytes.bigEndianUInt32(at: 12) == CRC32.of(bytes.extracting(0..<12))
            else {
                self = .damaged
                return
            }
            let sequence = Int64(bitPattern: bytes.bigEndianUInt64(at: 0))
            self = (0...Ledger.maximumCount).contains(sequence) ? .sequence(sequence) : .damaged
        }
    }

    static let byteCount = 16
    private let file: FileDescriptor

    init(path: String) throws(SystemError) {
        file = try FileDescriptor(path: path, options: [.readingAndWriting, .create, .noFollow])
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

    /// Writes the mark; that it could not be written only leaves it out of date.
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
            let bytes = try file.firstBytes(Self.byteCount)
            return Reading(bytes.span)
        } catch {
            return .damaged
        }
    }

    // MARK: Tags in memory

    /// Writes what is to be known of the tags in memory should the process end.
    borrowing func write(_ mark: OverflowMark) {
        do throws(SystemError) {
            try file.write(mark.bytes.span, at: Self.byteCount)
        } catch {
            // The next change tries again.
        }
    }

    /// What the last owner wrote of the tags in memory; nil where it is damaged, or nobody ever wrote it.
    borrowing func readOverflow() -> OverflowMark? {
        do throws(SystemError) {
            let bytes = try file.firstBytes(Self.byteCount + OverflowMark.byteCount)
            return bytes.count < Self.byteCount
                ? nil : OverflowMark(bytes.span.extracting(Self.byteCount..<bytes.count))
        } catch {
            return nil
        }
    }

    /// Returns once the file is on the disk.
    borrowing func sync() {
        do throws(SystemError) {
            try file.syncData()
        } catch {
            // The kernel has the bytes, and another process reads them.
        }
    }
}
