import Glibc

/// An IPv4 or IPv6 address of a host, without a port.
package enum SocketAddress: Sendable, Hashable {
    /// An IPv4 address with its first byte as the most significant.
    case v4(UInt32)
    /// An IPv6 address as its first and last eight bytes.
    case v6(high: UInt64, low: UInt64)

    /// Creates an address from 4 or 16 bytes in network order; nil for any other length.
    package init?(networkBytes bytes: Span<UInt8>) {
        switch bytes.count {
        case 4:
            self = .v4(UInt32(truncatingIfNeeded: Self.bigEndian(bytes, 0..<4)))
        case 16:
            self = .v6(high: Self.bigEndian(bytes, 0..<8), low: Self.bigEndian(bytes, 8..<16))
        default:
            return nil
        }
    }

    /// Parses a numeric address, such as `192.0.2.1` or `2001:db8::1`; nil for a name.
    package init?(_ text: String) {
        // A zone (`fe80::1%eth0`) names a local interface and is not part of the address.
        let address = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(
            String.init)
        guard let address else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        // inet_pton writes 4 bytes for AF_INET and 16 for AF_INET6; the array has 16.
        if unsafe inet_pton(AF_INET, address, &bytes) == 1 {
            self.init(networkBytes: bytes.span.extracting(first: 4))
        } else if unsafe inet_pton(AF_INET6, address, &bytes) == 1 {
            self.init(networkBytes: bytes.span)
        } else {
            return nil
        }
    }

    private static func bigEndian(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var value: UInt64 = 0
        for index in range { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}
