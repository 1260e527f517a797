/// The bytes of an integer, the most significant first.
func bigEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    stride(from: Integer.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) }
}
