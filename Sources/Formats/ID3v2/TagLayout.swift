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
