import ByteReading

/// A search for tags in bytes that may also contain other data.
///
///     var search = ID3TagSearch(bytes)
///     while let finding = search.next() { … }
///
/// After a complete tag, the search continues at its end. After a tag that is truncated or has a broken frame, it
/// continues at the end of its readable part, so that an excessive size does not hide later tags. The bytes are read
/// once, and parts of them a bounded number of additional times.
package struct ID3TagSearch: ~Escapable {
    private let bytes: Span<UInt8>

    /// The offset at which the search continues.
    package private(set) var position: Int

    /// The remaining number of bytes of unsynchronised tags that the search may examine.
    ///
    /// Such a tag must be counted byte by byte. Hostile headers that each claim the entire rest would cause a quadratic
    /// number of reads. Valid input needs far less than eight times its length.
    private var unsynchronisedAllowance: Int

    /// Creates a search that starts at `offset`.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, from offset: Int = 0) {
        self.bytes = bytes
        position = max(0, min(offset, bytes.count))
        unsynchronisedAllowance = bytes.count.multipliedReportingOverflow(by: 8).partialValue
    }

    /// A result of the search.
    package enum Match: Sendable, Hashable {
        /// A tag, complete or truncated at the end of the bytes.
        case tag(TagRange)
        /// Bytes that look like a tag but break a rule.
        case malformed(ID3Error, range: Range<Int>)
    }

    /// A tag and its position.
    package struct TagRange: Sendable, Hashable {
        /// The tag's header.
        package let header: ID3Header
        /// The position of the tag's available bytes; shorter than `header.tagLength` if the tag is truncated.
        package let range: Range<Int>
        /// The number of bytes missing at the end.
        package var missingCount: Int { header.tagLength - range.count }
    }

    /// Returns the next result, or nil at the end.
    @_lifetime(self: copy self)
    package mutating func next() -> Match? {
        while let start = nextClaim() {
            do throws(ID3Error) {
                return .tag(try readTag(at: start))
            } catch {
                position = start + 3
                guard Self.isClaim(bytes, at: start) else { continue }
                return .malformed(error, range: start..<min(start + ID3Header.length, bytes.count))
            }
        }
        return nil
    }

    /// Returns the offset of the next `ID3`, or nil if there is none.
    @_lifetime(self: copy self)
    private mutating func nextClaim() -> Int? {
        while position < bytes.count {
            position = bytes.firstIndex(of: 0x49, from: position)
            if bytes.hasASCII("ID3", at: position) { return position }
            position += 1
        }
        return nil
    }

    /// Returns whether the bytes after `ID3` at `offset` can be a version and a revision.
    ///
    /// The three letters also occur in text, followed by a letter or a blank. A version is a small number.
    private static func isClaim(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard bytes.count - offset > 4 else { return bytes.count - offset == 3 || bytes[offset + 3] < 0x10 }
        return bytes[offset + 3] < 0x10 && (bytes[offset + 4] < 0x10 || bytes[offset + 4] == 0xFF)
    }

    @_lifetime(self: copy self)
    private mutating func readTag(at start: Int) throws(ID3Error) -> TagRange {
        try spendAllowance(at: start)
        let tag: ID3Tag
        do throws(ID3Error) {
            tag = try ID3Tag(bytes.extracting(start..<bytes.count))
        } catch {
            throw error.moved(by: start)
        }
        if tag.isTruncated {
            position = start + Self.readableEnd(of: tag)
        } else {
            position = start + tag.header.tagLength
        }
        return TagRange(header: tag.header, range: start..<start + tag.bytes.count)
    }

    @_lifetime(self: copy self)
    private mutating func spendAllowance(at start: Int) throws(ID3Error) {
        guard bytes.count - start >= ID3Header.length, bytes[start + 3] < ID3Version.v24.rawValue,
            bytes[start + 5] & ID3Header.Flags.unsynchronisation.rawValue != 0
        else { return }
        let raw = bytes.bigEndianUInt32(at: start + 6)
        let declared = Int(raw & 0x8080_8080 == 0 ? SyncSafe.value(ofRaw: raw) : raw)
        let available = bytes.count - start
        unsynchronisedAllowance -= min(declared, available)
        guard unsynchronisedAllowance < 0 else { return }
        unsynchronisedAllowance = 0
        throw .tagTruncated(at: start, declared: ID3Header.length + declared, available: available)
    }

    /// Returns the end of the last complete frame of a tag.
    ///
    /// Without a complete frame it returns 3, the offset after `ID3`. The header itself may be truncated, with the
    /// bytes of the next tag following it.
    private static func readableEnd(of tag: borrowing ID3Tag) -> Int {
        var frames = tag.frames
        var end = 3
        while let frame = frames.next() {
            end = frame.isTruncated ? frame.offset + tag.header.version.frameHeaderLength : frames.position
        }
        return end
    }
}

extension ID3Error {
    /// Returns the same error with its offset increased by `distance`.
    func moved(by distance: Int) -> ID3Error {
        switch self {
        case .headerTruncated(let offset, let available):
            .headerTruncated(at: offset + distance, available: available)
        case .notATag(let offset): .notATag(at: offset + distance)
        case .unknownVersion(let offset, let major): .unknownVersion(at: offset + distance, major: major)
        case .forbiddenRevision(let offset): .forbiddenRevision(at: offset + distance)
        case .sizeNotSyncSafe(let offset): .sizeNotSyncSafe(at: offset + distance)
        case .compressedTag(let offset): .compressedTag(at: offset + distance)
        case .extendedHeaderInvalid(let offset): .extendedHeaderInvalid(at: offset + distance)
        case .frameIdentifierInvalid(let offset): .frameIdentifierInvalid(at: offset + distance)
        case .frameSizeInvalid(let offset): .frameSizeInvalid(at: offset + distance)
        case .frameBeyondTag(let offset, let declared, let available):
            .frameBeyondTag(at: offset + distance, declared: declared, available: available)
        case .frameTruncated(let offset, let declared, let available):
            .frameTruncated(at: offset + distance, declared: declared, available: available)
        case .tagTruncated(let offset, let declared, let available):
            .tagTruncated(at: offset + distance, declared: declared, available: available)
        case .frameFieldsMissing(let offset): .frameFieldsMissing(at: offset + distance)
        case .frameEncrypted(let offset): .frameEncrypted(at: offset + distance)
        case .compressedDataInvalid(let offset): .compressedDataInvalid(at: offset + distance)
        case .compressedDataTooLarge(let offset): .compressedDataTooLarge(at: offset + distance)
        }
    }
}
