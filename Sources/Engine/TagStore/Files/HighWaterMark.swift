internal import ByteReading
internal import HostSystem

/// The last committed sequence in a separate file, which shows whether the log has lost its end.
///
/// It is written after each commit and never synced. A mark below the database's last sequence is harmless. It can be
/// above only if the database lost acknowledged tags.
///
/// The record of the tags that are in memory only follows it. The file has its full size from the beginning, so the
/// record can be written when the disk is full.
///
///     0      8          12       16        40
///     | seq  | "DTVH"   | crc-32 | overflow |
struct HighWaterMark: ~Copyable {
    enum Reading: Sendable, Hashable {
        case absent
        case damaged
        case sequence(Int64)

        /// The sequence, if there is a valid one.
        var sequence: Int64? {
            if case .sequence(let sequence) = self { sequence } else { nil }
        }

        /// Decodes the first bytes of the file.
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
            self = (0...StoreTotals.maximumCount).contains(sequence) ? .sequence(sequence) : .damaged
        }
    }

    static let byteCount = 16
    private let file: FileDescriptor

    init(path: String) throws(SystemError) {
        file = try FileDescriptor(path: path, options: [.readingAndWriting, .create, .noFollow])
    }

    /// Returns the encoded mark for a sequence.
    static func bytes(_ sequence: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        bytes.append(bigEndian: sequence)
        bytes += Array("DTVH".utf8)
        bytes.append(bigEndian: CRC32.of(bytes.span))
        return bytes
    }

    /// Writes the mark; on failure it is only out of date.
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

    /// Writes the record of the tags in memory.
    borrowing func write(_ mark: OverflowMark) {
        do throws(SystemError) {
            try file.write(mark.bytes.span, at: Self.byteCount)
        } catch {
            // The next change tries again.
        }
    }

    /// Reads the last owner's record of its tags in memory; nil if it is damaged or was never written.
    borrowing func readOverflow() -> OverflowMark? {
        do throws(SystemError) {
            let bytes = try file.firstBytes(Self.byteCount + OverflowMark.byteCount)
            return bytes.count < Self.byteCount
                ? nil : OverflowMark(bytes.span.extracting(Self.byteCount..<bytes.count))
        } catch {
            return nil
        }
    }

    /// Syncs the file to the disk.
    borrowing func sync() {
        do throws(SystemError) {
            try file.syncData()
        } catch {
            // The kernel has the bytes, so other processes can read them.
        }
    }
}
