import ByteCompression
import ByteReading

extension ID3Frame {
    /// Puts the frame's content, as it was before it was stored, into `content` in place of what was there.
    ///
    /// Takes back unsynchronisation, leaves out the fields that the flags announce, and inflates within
    /// `limits`. The array keeps its capacity: with one array for many frames nothing is allocated once it
    /// has grown. Returns the deviations that were met on the way.
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

    /// Inflates the content of a frame of version 2.4 whose data length indicator is announced by its flag and absent; false where it is not such
    /// a frame.
    ///
    /// The standard wants a length with every compressed frame, and writers have set its flag without it.
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

    /// The group that the frame belongs to; nil where its flags name none.
    package var groupIdentifier: UInt8? { fieldsOrNil?.group }

    /// The method by which the frame is encrypted; nil where it is not.
    package var encryptionMethod: UInt8? { fieldsOrNil?.encryptionMethod }

    /// The length of the content once decoded, as the frame announces it; nil where it does not.
    package var dataLengthIndicator: Int? { fieldsOrNil?.length }

    private var fieldsOrNil: FrameFields? {
        do throws(ID3Error) { return try FrameFields(of: self) } catch { return nil }
    }
}

/// The fields between a frame's header and its content, in the order of the version.
struct FrameFields {
    private(set) var group: UInt8?
    private(set) var encryptionMethod: UInt8?
    private(set) var length: Int?
    /// Where the content begins, in bytes from the start of the stored ones.
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
                // Where the length is not sync-safe it was written plain; it is a hint and decides nothing.
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
