import ByteReading

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
