import ByteReading

/// The descriptors of a program or of an elementary stream (ISO/IEC 13818-1, 2.6).
struct DescriptorLoop: ~Escapable {
    /// metadata_pointer_descriptor (2.6.58).
    static let metadataPointerTag: UInt8 = 0x25
    /// metadata_descriptor (2.6.60).
    static let metadataTag: UInt8 = 0x26

    private let bytes: Span<UInt8>

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Returns whether a descriptor with this tag has the metadata_format_identifier `ID3 `.
    func namesTimedID3(tag: UInt8) -> Bool {
        contains { found, body in found == tag && Self.formatIdentifier(body).isTimedID3(body) }
    }

    /// Whether a metadata_descriptor declares a format other than `ID3 `.
    var namesOtherMetadata: Bool {
        contains { found, body in
            found == Self.metadataTag && Self.formatIdentifier(body).isOther(body)
                || found == 0x05 && body.hasASCII("KLVA", at: 0)
        }
    }

    /// Returns whether a registration_descriptor (2.6.8) has this identifier.
    func hasRegistration(_ identifier: StaticString) -> Bool {
        contains { found, body in found == 0x05 && body.hasASCII(identifier, at: 0) }
    }

    /// Whether a descriptor declares private data to be audio.
    var describesAudio: Bool {
        contains { found, body in
            switch found {
            // AC-3, enhanced AC-3, DTS, AAC.
            case 0x6A, 0x7A, 0x7B, 0x7C: true
            // Extension descriptor: DTS-HD, AC-4.
            case 0x7F: !body.isEmpty && (body[0] == 0x0E || body[0] == 0x15)
            case 0x05:
                body.hasASCII("AC-3", at: 0) || body.hasASCII("EAC3", at: 0) || body.hasASCII("Opus", at: 0)
                    || body.hasASCII("AC-4", at: 0) || body.hasASCII("DTS", at: 0)
            default: false
            }
        }
    }

    /// Whether a descriptor names the content of private data, in any format (ETSI EN 300 468, 6.1).
    ///
    /// Those of a language, of scrambling, and of the position in a service do not.
    var namesContent: Bool {
        contains { found, _ in
            switch found {
            // Registration, metadata, VBI, teletext, subtitles, data broadcasts, applications, audio, and extensions.
            case 0x05, 0x25, 0x26, 0x45, 0x46, 0x56, 0x59, 0x66, 0x6A, 0x6F, 0x7A, 0x7B, 0x7C, 0x7F: true
            default: false
            }
        }
    }

    private func contains(_ matches: (UInt8, Span<UInt8>) -> Bool) -> Bool {
        var position = 0
        while bytes.count - position >= 2 {
            let length = Int(bytes[position + 1])
            guard length <= bytes.count - position - 2 else { return false }
            if matches(bytes[position], bytes.extracting(position + 2..<position + 2 + length)) {
                return true
            }
            position += 2 + length
        }
        return false
    }

    /// Returns the offset of the metadata_format_identifier in a metadata or metadata pointer descriptor.
    ///
    /// The offset is nil if the descriptor has no such identifier.
    private static func formatIdentifier(_ body: Span<UInt8>) -> FormatIdentifier {
        guard body.count >= 3 else { return FormatIdentifier(offset: nil) }
        // With metadata_application_format 0xFFFF, a metadata_application_format_identifier comes first.
        let format = body.bigEndianUInt16(at: 0) == 0xFFFF ? 6 : 2
        guard body.count >= format + 5, body[format] == 0xFF else { return FormatIdentifier(offset: nil) }
        return FormatIdentifier(offset: format + 1)
    }

    private struct FormatIdentifier {
        let offset: Int?

        func isTimedID3(_ body: Span<UInt8>) -> Bool { offset.map { body.hasASCII("ID3 ", at: $0) } ?? false }
        func isOther(_ body: Span<UInt8>) -> Bool { offset.map { !body.hasASCII("ID3 ", at: $0) } ?? false }
    }
}
