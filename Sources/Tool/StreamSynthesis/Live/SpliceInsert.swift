import ByteReading

/// A splice_insert of SCTE 35, as EXT-X-DATERANGE carries it: out of the network, or back into it.
enum SpliceInsert {
    /// The section in hexadecimal (SCTE 35, 9.7.3), to be spliced at once.
    static func text(event: UInt32, isOut: Bool) -> String {
        // Not cancelled; the whole program, at once; unique_program_id 1, no avails.
        var command = event.bigEndianBytes + [0x7F, isOut ? 0xDF : 0x5F]
        command += [0x00, 0x01, 0x00, 0x00]
        // Version 0, not encrypted, no adjustment; tier 0xFFF; the command's length and type; no descriptors.
        var rest: [UInt8] = [0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xF0, UInt8(command.count), 0x05]
        rest += command + [0, 0]
        var section: [UInt8] = [0xFC, 0x30, UInt8(rest.count + 4)] + rest
        section += CRC32MPEG2.of(section.span).bigEndianBytes
        return "0x" + section.map { Hexadecimal.text(of: $0) }.joined().uppercased()
    }
}
