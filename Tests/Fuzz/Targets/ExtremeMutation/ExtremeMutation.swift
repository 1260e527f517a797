import CLibFuzzer

/// A mutation for libFuzzer, in addition to its own: in half of the calls, one number of the input becomes an extreme.
///
/// A run of digits becomes the text of a number. Any other position becomes the first byte of a binary number of four
/// or eight bytes. libFuzzer changes single bytes and bits, and rarely makes a long number out of a short one.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximumCount: Int, _ seed: UInt32)
    -> Int
{
    var random = SplitMix64(state: UInt64(seed))
    // The `maximumCount` bytes are valid for the call; the first `count` of them are the input.
    let room = unsafe UnsafeMutableBufferPointer(start: start, count: maximumCount)
    let input = unsafe Array(room.prefix(count))
    guard Bool.random(using: &random), let output = withExtreme(input, &random), output.count <= maximumCount
    else {
        return unsafe LLVMFuzzerMutate(start, count, maximumCount)
    }
    for index in output.indices { unsafe room[index] = output[index] }
    return output.count
}

private func withExtreme(_ input: [UInt8], _ random: inout SplitMix64) -> [UInt8]? {
    guard let position = input.indices.randomElement(using: &random) else { return nil }
    // The next run of digits, or the one that contains the position.
    if let digit = input[position...].firstIndex(where: isDigit), Bool.random(using: &random) {
        let start = input[..<digit].lastIndex { !isDigit($0) }.map { $0 + 1 } ?? 0
        let end = input[digit...].firstIndex { !isDigit($0) } ?? input.count
        guard let text = texts.randomElement(using: &random) else { return nil }
        return input[..<start] + Array(text.utf8) + input[end...]
    }
    let width = Bool.random(using: &random) ? 4 : 8
    guard position + width <= input.count, let number = numbers.randomElement(using: &random) else {
        return nil
    }
    var output = input
    for index in 0..<width {
        output[position + index] = UInt8(truncatingIfNeeded: number >> (8 * (width - 1 - index)))
    }
    return output
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

private let texts = [
    "0", "1", "-1", "0.5", "4294967295", "4294967296", "9007199254740991", "9007199254740992",
    "2305843009213693951", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "18446744073709551615", "99999999999999999999999", "999999.999", "1000001", "1e308", "1e400", "nan", "",
]

private let numbers: [UInt64] = [
    0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 53, 1 << 61, (1 << 63) - 1, 1 << 63, .max - 1,
    .max,
]

/// A random number generator with a seed, so that a run can be repeated.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
