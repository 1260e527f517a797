/// The CRC of PSI sections (ISO/IEC 13818-1, annex A): polynomial 0x04C11DB7, nothing reflected, no final XOR.
enum CRC32MPEG2 {
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0xFFFF_FFFF) { (crc: UInt32, byte) in
            var crc = crc ^ UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
            return crc
        }
    }
}
