import ByteReading

/// A splice_insert command of SCTE 35 for EXT-X-DATERANGE: out of the network, or back into it.
enum SpliceInsert {
    /// Returns the section in hexadecimal (SCTE 35, 9.7.3), with an immediate splice.
    static func text(event: UInt32, isOut: Bool) -> String {
        // Not canceled; whole program, immediate; unique_program_id 1, no avails.
        var command = event.bigEndianBytes + [0x7F, isOut ? 0xDF : 0x5F]
        command += [0x00, 0x01, 0x00, 0x00]
        // Version 0, not encrypted, no adjustment; tier 0xFFF; command length and type; no descriptors.
        var rest: [UInt8] = [0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xF0, UInt8(command.count), 0x05]
        rest += command + [0, 0]
        var section: [UInt8] = [0xFC, 0x30, UInt8(rest.count + 4)] + rest
        section += CRC32MPEG2.of(section.span).bigEndianBytes
        return "0x" + section.map { Hexadecimal.text(of: $0) }.joined().uppercased()
    }
}
