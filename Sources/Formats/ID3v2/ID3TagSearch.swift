import ByteReading

/// A search for the tags in bytes that may hold others before, between and after them.
///
///     var search = ID3TagSearch(bytes)
///     while let finding = search.next() { … }
///
/// After a complete tag the search goes on at its end. After one that is truncated, or whose frames break off,
/// it goes on where the readable part of it ends, so that a size that is too large hides no tag. The bytes
/// are read once, and part of them a bounded number of times more.
package struct ID3TagSearch: ~Escapable {
    private let bytes: Span<UInt8>

    /// The offset at which the search goes on.
    package private(set) var position: Int

    /// How many bytes of unsynchronised tags may still be looked at.
    ///
    /// Such a tag shows what it is only once its bytes are counted through, and headers that each claim all the
    /// rest would have it counted through again and again. Eight times over is more than honest bytes need.
    private var unsynchronisedAllowance: Int

    /// A search from `offset` on; nothing is found in front of it.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, from offset: Int = 0) {
        self.bytes = bytes
        position = max(0, min(offset, bytes.count))
        unsynchronisedAllowance = bytes.count.multipliedReportingOverflow(by: 8).partialValue
    }

    /// What the search comes upon.
    package enum Match: Sendable, Hashable {
        /// A tag, complete or truncated at the end of the bytes.
        case tag(Found)
        /// Bytes that claim to be a tag and break a rule.
        case malformed(ID3Error, range: Range<Int>)
    }

    /// A tag that was found.
    package struct Found: Sendable, Hashable {
        /// The tag's header.
        package let header: ID3Header
        /// Where the tag's bytes lie; less than `header.tagLength` where they are not all there.
        package let range: Range<Int>
        /// How many bytes are missing at the end.
        package var missingCount: Int { header.tagLength - range.count }
    }

    /// The next finding; nil at the end.
    @_lifetime(self: copy self)
    package mutating func next() -> Match? {
        while let start = nextClaim() {
            do throws(ID3Error) {
                return .tag(try found(at: start))
            } catch {
                position = start + 3
                guard Self.isClaim(bytes, at: start) else { continue }
                return .malformed(error, range: start..<min(start + ID3Header.length, bytes.count))
            }
        }
        return nil
    }

    /// The offset of the next `ID3`; nil where there is none.
    @_lifetime(self: copy self)
    private mutating func nextClaim() -> Int? {
        while position < bytes.count {
            position = bytes.firstIndex(of: 0x49, from: position)
            if bytes.hasASCII("ID3", at: position) { return position }
            position += 1
        }
        return nil
    }

    /// Whether `ID3` at `offset` is followed by what only a tag would have there.
    ///
    /// The three letters alone stand in texts too, followed by a letter or a blank; a version is a small number.
    private static func isClaim(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard bytes.count - offset > 4 else { return bytes.count - offset == 3 || bytes[offset + 3] < 0x10 }
        return bytes[offset + 3] < 0x10 && (bytes[offset + 4] < 0x10 || bytes[offset + 4] == 0xFF)
    }

    @_lifetime(self: copy self)
    private mutating func found(at start: Int) throws(ID3Error) -> Found {
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
        return Found(header: tag.header, range: start..<start + tag.bytes.count)
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

    /// Where the frames of a tag end that can be read whole; after its first letters where there are none,
    /// for the header itself may be truncated and be completed by the bytes of the next tag.
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
    /// The same error with its offset counted from `distance` bytes earlier.
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
