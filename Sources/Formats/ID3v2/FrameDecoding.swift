import ByteReading

extension ID3Frame {
    /// Decodes the frame's content and replaces the contents of `content` with it.
    ///
    /// It reverses unsynchronisation, skips the fields that the flags announce, and inflates compressed data within
    /// `limits`. The array keeps its capacity, so an array that is reused for many frames rarely allocates. Returns the
    /// deviations found while decoding.
    @discardableResult
    package func decodeContent(
        into content: inout [UInt8], limits: InflateLimits = .init()
    ) throws(ID3Error) -> ID3Deviations {
        content.removeAll(keepingCapacity: true)
        let fields = try FrameFields(of: self)
        if format.contains(.encrypted) { throw .frameEncrypted(at: offset) }
        var deviations: ID3Deviations = []
        var isReversed = isTagUnsynchronised
        if format.contains(.unsynchronised) {
            let data = fields.contentStart..<storedBytes.count
            isReversed = !Unsynchronisation.isFalselyClaimed(of: storedBytes, in: data)
            if !isReversed { deviations.insert(.falseUnsynchronisation) }
        }
        let stored = storedBytes.extracting(fields.contentStart..<storedBytes.count)
        guard format.contains(.compressed) else {
            Self.append(stored, isReversed: isReversed, to: &content)
            return deviations
        }
        var compressed: [UInt8] = []
        Self.append(stored, isReversed: isReversed, to: &compressed)
        do throws(CompressionError) {
            try Inflation.inflate(
                compressed.span, .zlib, expecting: fields.length,
                maximumByteCount: limits.maximumCount(of: compressed.count), appendingTo: &content)
            if content.count != fields.length { deviations.insert(.dataLengthIndicator) }
        } catch .tooLarge {
            throw .compressedDataTooLarge(at: offset)
        } catch {
            guard inflateWithoutLength(into: &content, isReversed: isReversed, limits) else {
                throw .compressedDataInvalid(at: offset)
            }
            deviations.insert(.dataLengthIndicator)
        }
        return deviations
    }

    /// Inflates a version 2.4 frame whose flag announces a data length indicator that is absent.
    ///
    /// The standard requires a length in every compressed frame, but some writers set the flag without writing the
    /// length. Returns false if the frame is not of this kind.
    private func inflateWithoutLength(
        into content: inout [UInt8], isReversed: Bool, _ limits: InflateLimits
    ) -> Bool {
        guard version == .v24, format.contains(.hasLength), format.isDisjoint(with: [.grouped, .encrypted])
        else { return false }
        var compressed: [UInt8] = []
        Self.append(storedBytes, isReversed: isReversed, to: &compressed)
        content.removeAll(keepingCapacity: true)
        do throws(CompressionError) {
            try Inflation.inflate(
                compressed.span, .zlib, maximumByteCount: limits.maximumCount(of: compressed.count),
                appendingTo: &content)
            return true
        } catch {
            return false
        }
    }

    private static func append(_ bytes: Span<UInt8>, isReversed: Bool, to content: inout [UInt8]) {
        if isReversed {
            Unsynchronisation.reverse(bytes, into: &content)
        } else {
            content.append(bytes)
        }
    }

    /// The group of the frame; nil if its flags name none.
    package var groupIdentifier: UInt8? { fieldsOrNil?.group }

    /// The length of the decoded content as the frame announces it; nil if it announces none.
    var dataLengthIndicator: Int? { fieldsOrNil?.length }

    private var fieldsOrNil: FrameFields? {
        do throws(ID3Error) { return try FrameFields(of: self) } catch { return nil }
    }
}

/// The fields between a frame's header and its content, in the order that the version defines.
struct FrameFields {
    private(set) var group: UInt8?
    private(set) var encryptionMethod: UInt8?
    private(set) var length: Int?
    /// The offset of the content in the stored bytes.
    let contentStart: Int

    init(of frame: borrowing ID3Frame) throws(ID3Error) {
        let format = frame.format
        var reader = FrameByteReader(
            frame.storedBytes, from: 0, limit: frame.storedBytes.count,
            isUnsynchronised: frame.isTagUnsynchronised)
        if frame.version == .v23 {
            if format.contains(.hasLength) { length = reader.number(of: 4).map { Int($0) } }
            if format.contains(.encrypted) { encryptionMethod = reader.next() }
            if format.contains(.grouped) { group = reader.next() }
        } else {
            if format.contains(.grouped) { group = reader.next() }
            if format.contains(.encrypted) { encryptionMethod = reader.next() }
            if format.contains(.hasLength) {
                // A length that is not sync-safe was written as a plain number. It is only a hint.
                length = reader.number(of: 4).map {
                    Int($0 & 0x8080_8080 == 0 ? SyncSafe.value(ofRaw: $0) : $0)
                }
            }
        }
        guard format.contains(.hasLength) == (length != nil),
            format.contains(.encrypted) == (encryptionMethod != nil),
            format.contains(.grouped) == (group != nil)
        else { throw .frameFieldsMissing(at: frame.offset) }
        contentStart = reader.position
    }
}

/// The limits on the decompressed size of a frame.
///
/// A few hundred bytes of deflated zeros can expand to megabytes. Real frames stay far below these limits.
package struct InflateLimits: Sendable, Hashable {
    /// The maximum size of a frame in bytes: 16 MiB, just above the maximum of a 24-bit size.
    package var maximumCount: Int = 16 << 20

    /// The maximum ratio of decompressed to stored size, applied above `unlimitedCount`.
    package var maximumRatio: Int = 256

    /// The size in bytes up to which the ratio is not limited.
    package var unlimitedCount: Int = 64 << 10

    /// Creates the default limits.
    package init() {}

    /// Returns the maximum decompressed size of `count` stored bytes.
    func maximumCount(of count: Int) -> Int {
        let (product, overflows) = count.multipliedReportingOverflow(by: maximumRatio)
        return min(maximumCount, max(unlimitedCount, overflows ? .max : product))
    }
}
