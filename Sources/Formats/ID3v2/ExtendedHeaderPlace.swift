import ByteReading

/// Where the frames begin in a tag whose header announces an extended header.
struct ExtendedHeaderPlace {
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
        if !Self.isFrame(bytes, at: standardEnd, limit: limit),
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

    /// Whether a frame stands where the extended header belongs.
    ///
    /// Some writers set the flag and write no extended header. Four characters of a frame identifier, taken
    /// for a size, would be more than a hundred million bytes, so the two cannot be confused.
    private static func isAbsent(_ bytes: Span<UInt8>, at start: Int, limit: Int) -> Bool {
        isFrame(bytes, at: start, limit: limit)
    }

    /// Where the extended header ends if its size is counted as the other version counts it.
    ///
    /// Version 2.3 leaves the four bytes of the size out and 2.4 counts them; writers mix the two up.
    private static func miscountedEnd(_ standardEnd: Int, version: ID3Version) -> Int {
        version == .v23 ? standardEnd - 4 : standardEnd + 4
    }

    private static func isFrame(_ bytes: Span<UInt8>, at offset: Int, limit: Int) -> Bool {
        guard offset >= 0, offset <= limit, limit - offset >= 10 else { return false }
        return ID3FrameID(code: bytes.bigEndianUInt32(at: offset)) != nil
    }
}
