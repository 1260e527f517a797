/// An elementary stream in a PMT.
struct ElementaryStream: Sendable, Hashable {
    let pid: UInt16
    let streamType: UInt8
    let role: Role
    /// Whether the stream has a metadata_descriptor with the identifier `ID3 `.
    let hasMetadataDescriptor: Bool

    enum Role: Sendable, Hashable {
        /// A stream declared as timed ID3, or as metadata without another format.
        case metadata
        /// Metadata declared in another format, or private data of no declared format, which may contain ID3.
        case candidate
        case audio
        case video
        case other
    }

    init(pid: UInt16, streamType: UInt8, descriptors: borrowing DescriptorLoop) {
        self.pid = pid
        self.streamType = streamType
        hasMetadataDescriptor = descriptors.namesTimedID3(tag: DescriptorLoop.metadataTag)
        let isRegistered = descriptors.hasRegistration("ID3 ")
        role =
            if hasMetadataDescriptor || isRegistered {
                .metadata
            } else if streamType == 0x15 {
                descriptors.namesOtherMetadata ? .candidate : .metadata
            } else {
                Self.mediaRole(streamType, descriptors)
            }
    }

    /// Returns the role of a media stream according to its stream type or its descriptors.
    ///
    /// Stream types are those of ISO/IEC 13818-1, table 2-34, ATSC A/53, and Apple's types for encrypted samples. For a
    /// private stream type, the descriptors decide (ETSI EN 300 468, 6.1).
    private static func mediaRole(_ type: UInt8, _ descriptors: borrowing DescriptorLoop) -> Role {
        switch type {
        case 0x01, 0x02, 0x10, 0x1B, 0x1F, 0x20, 0x24, 0x25, 0x33, 0x42, 0xD1, 0xDB, 0xEA: .video
        case 0x03, 0x04, 0x0F, 0x11, 0x1C, 0x2D, 0x2E, 0x81, 0x84, 0x87, 0xC1, 0xC2, 0xCF: .audio
        case 0x06:
            descriptors.describesAudio ? .audio : descriptors.namesContent ? .other : .candidate
        default: .other
        }
    }
}
