import ByteReading

/// The layout of a tag: header, extended header and frames, with incorrect sizes resolved.
struct TagLayout {
    let header: ID3Header
    let extendedHeader: ID3ExtendedHeader?
    let region: FrameRegion
    let deviations: ID3Deviations

    // Inlined because a layout is large: a call would copy it three times on its way into the tag.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at offset: Int) throws(ID3Error) {
        let version = try Self.version(bytes, at: offset)
        let flags = ID3Header.Flags(rawValue: bytes[offset + 5])
        if version == .v22, flags.contains(.extendedHeader) { throw .compressedTag(at: offset + 5) }
        let bodyStart = offset + ID3Header.length
        let rawSize = bytes.bigEndianUInt32(at: offset + 6)

        let body: TagBody
        var deviations: ID3Deviations = []
        if rawSize & 0x8080_8080 != 0 {
            guard ID3Header.isFollowedByFrame(bytes, at: offset, version: version) else {
                throw .sizeNotSyncSafe(at: offset + 6)
            }
            deviations = .plainTagSize
            body = try TagBody(bytes, from: bodyStart, size: Int(rawSize), version: version, flags: flags)
        } else {
            let size = Int(SyncSafe.value(ofRaw: rawSize))
            let standard = try TagBody(bytes, from: bodyStart, size: size, version: version, flags: flags)
            if rawSize >= 0x80, standard.walk.landing == .overrun,
                let plain = try Self.plainReading(
                    bytes, from: bodyStart, rawSize: rawSize, version: version, flags: flags)
            {
                deviations = .plainTagSize
                body = plain
            } else {
                body = standard
            }
        }
        deviations.formUnion(body.deviations)
        if !flags.isSubset(of: .defined(in: version)) { deviations.insert(.undefinedFlags) }

        var hasFooter = version == .v24 && flags.contains(.footer)
        if hasFooter, Self.isFooterAbsent(bytes, at: body.region.end) {
            hasFooter = false
            deviations.insert(.absentFooter)
        }
        header = ID3Header(
            version: version, revision: bytes[offset + 4], flags: flags,
            declaredSize: body.region.end - bodyStart, hasFooter: hasFooter)
        extendedHeader = body.extendedHeader
        region = body.region
        self.deviations = deviations
    }

    @inline(__always)
    private static func version(_ bytes: Span<UInt8>, at offset: Int) throws(ID3Error) -> ID3Version {
        let available = bytes.count - min(max(offset, 0), bytes.count)
        guard available >= ID3Header.length else {
            throw bytes.hasASCII("ID3", at: offset) || available < 3
                ? .headerTruncated(at: offset, available: available) : .notATag(at: offset)
        }
        guard offset >= 0, bytes.bigEndianUInt24(at: offset) == 0x49_4433 else { throw .notATag(at: offset) }
        guard bytes[offset + 3] != 0xFF, bytes[offset + 4] != 0xFF else {
            throw .forbiddenRevision(at: offset + 3)
        }
        guard let version = ID3Version(rawValue: bytes[offset + 3]) else {
            throw .unknownVersion(at: offset + 3, major: bytes[offset + 3])
        }
        return version
    }

    /// Reads the tag with its size as a plain number; returns nil unless the frames fit only then.
    ///
    /// Some writers store the size as a plain number, mostly in tags with one large frame. Read as sync-safe, such a
    /// size is too small: a frame extends past the tag. Read as a plain number, the frame fits.
    @inline(never)
    private static func plainReading(
        _ bytes: Span<UInt8>, from bodyStart: Int, rawSize: UInt32, version: ID3Version,
        flags: ID3Header.Flags
    ) throws(ID3Error) -> TagBody? {
        let plain = try TagBody(
            bytes, from: bodyStart, size: Int(rawSize), version: version, flags: flags)
        return plain.walk.landing == .end && plain.walk.frameCount > 0 ? plain : nil
    }

    /// Returns whether the bytes show that the announced footer is absent.
    ///
    /// Some writers set the flag without writing a footer. Trusting the flag would treat the next bytes, often another
    /// tag, as a footer.
    private static func isFooterAbsent(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        bytes.count - min(offset, bytes.count) >= 3 && !bytes.hasASCII("3DI", at: offset)
    }
}

/// The part of a tag between header and footer, read with one assumption about the tag's size.
struct TagBody {
    let extendedHeader: ID3ExtendedHeader?
    let region: FrameRegion
    let walk: FrameWalk
    let deviations: ID3Deviations

    @inline(__always)
    init(
        _ bytes: Span<UInt8>, from start: Int, size: Int, version: ID3Version, flags: ID3Header.Flags
    ) throws(ID3Error) {
        let end = start + size
        let available = start..<max(start, min(end, bytes.count))
        var deviations: ID3Deviations = []
        var isUnsynchronised = false
        if version != .v24, flags.contains(.unsynchronisation) {
            isUnsynchronised = !Unsynchronisation.isFalselyClaimed(of: bytes, in: available)
            if !isUnsynchronised { deviations.insert(.falseUnsynchronisation) }
        }
        var framesStart = start
        var extendedHeader: ID3ExtendedHeader?
        if flags.contains(.extendedHeader) {
            let place = try ExtendedHeaderPlace(
                bytes, at: start, end: end, version: version, isUnsynchronised: isUnsynchronised)
            framesStart = place.framesStart
            extendedHeader = place.header
            deviations.formUnion(place.deviations)
        }

        let standard = FrameRegion(
            version: version, start: framesStart, end: end, sizeForm: .standard(of: version),
            isUnsynchronised: isUnsynchronised)
        let standardWalk = FrameWalk(standard, in: bytes)
        self.extendedHeader = extendedHeader
        if !standardWalk.isValid,
            let other = Self.readingInTheOtherForm(insteadOf: standard, standardWalk, bytes)
        {
            deviations.insert(version == .v24 ? .plainFrameSizes : .syncSafeFrameSizes)
            region = other.region
            walk = other.walk
        } else {
            region = standard
            walk = standardWalk
        }
        self.deviations = deviations
    }

    /// Reads the frames with their sizes in the other encoding; returns nil unless that leads further.
    ///
    /// Some writers designed for version 2.3, mainly players that write their own tags, put plain sizes into 2.4 tags.
    /// Others put sync-safe sizes into 2.3 tags. Sizes below 128 are the same in both encodings. With a larger size,
    /// only the intended encoding leads from frame to frame to the end of the tag.
    @inline(never)
    private static func readingInTheOtherForm(
        insteadOf standard: FrameRegion, _ standardWalk: FrameWalk, _ bytes: Span<UInt8>
    ) -> (region: FrameRegion, walk: FrameWalk)? {
        guard standardWalk.isAmbiguous, standard.version != .v22 else { return nil }
        let region = FrameRegion(
            version: standard.version, start: standard.start, end: standard.end,
            sizeForm: standard.sizeForm == .plain ? .syncSafe : .plain,
            isUnsynchronised: standard.isUnsynchronised)
        let walk = FrameWalk(region, in: bytes)
        return walk.isValid || walk.frameCount > standardWalk.frameCount ? (region, walk) : nil
    }
}

/// The start of the frames in a tag whose header announces an extended header.
struct ExtendedHeaderPlace {
    /// The number of bytes needed to detect an extended header, unless the tag is shorter.
    static let decisionByteCount = 20

    /// The extended header, or nil if there is none or the bytes end within it.
    let header: ID3ExtendedHeader?
    let framesStart: Int
    let deviations: ID3Deviations

    init(
        _ bytes: Span<UInt8>, at start: Int, end: Int, version: ID3Version, isUnsynchronised: Bool
    ) throws(ID3Error) {
        let limit = min(end, bytes.count)
        if Self.isAbsent(bytes, at: start, limit: limit) {
            header = nil
            framesStart = start
            deviations = .absentExtendedHeader
            return
        }
        // Unsynchronisation can double the ten bytes that begin an extended header.
        if bytes.count < end, bytes.count - start < Self.decisionByteCount {
            header = nil
            framesStart = bytes.count
            deviations = []
            return
        }
        var standardEnd = 0
        guard
            let header = ID3ExtendedHeader(
                bytes, at: start, limit: limit, version: version, isUnsynchronised: isUnsynchronised,
                end: &standardEnd)
        else {
            throw .extendedHeaderInvalid(at: start)
        }
        self.header = header
        let miscountedEnd = Self.miscountedEnd(standardEnd, version: version)
        let isDecidable = bytes.count >= end || limit - standardEnd >= 10
        if isDecidable, !Self.isFrame(bytes, at: standardEnd, limit: limit),
            Self.isFrame(bytes, at: miscountedEnd, limit: limit)
        {
            framesStart = miscountedEnd
            deviations = .extendedHeaderSize
        } else {
            guard standardEnd >= start + 4, standardEnd <= end else {
                throw .extendedHeaderInvalid(at: start)
            }
            framesStart = standardEnd
            deviations = []
        }
    }

    /// Returns whether a frame is in the place of the extended header.
    ///
    /// Some writers set the flag but write no extended header. The four characters of a frame identifier, read as a
    /// size, exceed a hundred million bytes, so a frame cannot be mistaken for an extended header.
    private static func isAbsent(_ bytes: Span<UInt8>, at start: Int, limit: Int) -> Bool {
        isFrame(bytes, at: start, limit: limit)
    }

    /// Returns the end of the extended header if its size is counted by the rule of the other version.
    ///
    /// The size excludes its own four bytes in version 2.3 and includes them in 2.4. Some writers confuse the two.
    private static func miscountedEnd(_ standardEnd: Int, version: ID3Version) -> Int {
        version == .v23 ? standardEnd - 4 : standardEnd + 4
    }

    private static func isFrame(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Bool {
        guard offset >= 0, offset <= limit, limit - offset >= 10 else { return false }
        return ID3FrameID(code: bytes.bigEndianUInt32(at: offset)) != nil
    }
}

/// A trial walk over a tag's frame headers that tests one encoding of their sizes.
///
/// Some writers use plain sizes where sync-safe ones are required, or the reverse. A size alone does not reveal its
/// encoding. However, the intended encoding leads from frame to frame to the end of the tag, and the other one leads
/// into the middle of a frame.
struct FrameWalk {
    /// The position at which the walk ended.
    enum Landing {
        /// The exact end of the region, or padding.
        case end
        /// The end of the available bytes; the tag continues after it.
        case truncated
        /// A frame that is longer than the region.
        case overrun
        /// Bytes that are neither a frame nor padding.
        case lost
    }

    let landing: Landing
    /// The number of frames passed.
    let frameCount: Int
    /// Whether a size could also be read in the other encoding.
    let isAmbiguous: Bool

    var isValid: Bool { landing == .end || landing == .truncated }

    @inline(__always)
    init(_ region: FrameRegion, in bytes: Span<UInt8>) {
        var position = region.start
        var frameCount = 0
        var isAmbiguous = false
        var landing = Landing.end
        walk: while position < region.end {
            switch region.frameStart(in: bytes, at: position) {
            case .padding:
                // Zeros also occur inside frames, so they count as padding only if nothing follows them.
                if isAmbiguous, !Self.isZero(bytes, from: position, to: region.end) { landing = .lost }
                break walk
            case .notAnIdentifier:
                landing = .lost
                break walk
            case .sizeInvalid:
                isAmbiguous = true
                landing = .lost
                break walk
            case .truncated:
                landing = region.end > bytes.count ? .truncated : .lost
                break walk
            case .frame(let header):
                isAmbiguous = isAmbiguous || header.isSizeAmbiguous
                frameCount += 1
                let (next, missing) = region.bodyEnd(of: header, in: bytes)
                position = next
                if missing > 0 {
                    landing = Self.landing(ofMissing: missing, at: next, region: region)
                    break walk
                }
            }
        }
        self.landing = landing
        self.frameCount = frameCount
        self.isAmbiguous = isAmbiguous
    }

    private static func landing(ofMissing missing: Int, at position: Int, region: FrameRegion) -> Landing {
        let room = region.end - position
        if missing == room { return .end }
        return missing < room ? .truncated : .overrun
    }

    private static func isZero(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        for position in start..<min(end, bytes.count) where bytes[position] != 0 { return false }
        return true
    }
}
