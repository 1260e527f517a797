/// The reach of an address according to the IANA special-purpose registries (RFC 6890 and its updates).
package enum AddressScope: String, Sendable, Hashable, CaseIterable {
    /// Reachable over the Internet.
    case global = "public"
    /// The local machine: 127.0.0.0/8, ::1.
    case loopback
    /// A private network: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918), fc00::/7 (RFC 4193), fec0::/10.
    case privateUse = "private"
    /// A single link, where cloud platforms serve instance credentials: 169.254.0.0/16, fe80::/10.
    case linkLocal = "link-local"
    /// Shared address space for carrier-grade NAT: 100.64.0.0/10 (RFC 6598).
    case shared
    /// A multicast group: 224.0.0.0/4, ff00::/8.
    case multicast
    /// Unspecified, which connects to the local machine: 0.0.0.0/8, ::.
    case unspecified
    /// Reserved for documentation, benchmarking, protocols or future use.
    case reserved

    /// Classifies an address; an IPv6 address that embeds an IPv4 address has the scope of the latter.
    package init(of address: SocketAddress) {
        switch address {
        case .v4(let value): self = Self.scope(v4: value)
        case .v6(let high, let low): self = Self.scope(v6: high, low)
        }
    }

    private static func scope(v4 address: UInt32) -> AddressScope {
        for (network, length, scope) in specialV4 where address >> (32 - length) == network >> (32 - length) {
            return scope
        }
        return .global
    }

    private static func scope(v6 high: UInt64, _ low: UInt64) -> AddressScope {
        if high == 0 {
            if low == 0 { return .unspecified }
            if low == 1 { return .loopback }
            // ::ffff:0:0/96 is an IPv4-mapped address (RFC 4291, 2.5.5.2).
            if low >> 32 == 0xFFFF { return scope(v4: UInt32(truncatingIfNeeded: low)) }
            return .reserved
        }
        // 64:ff9b::/96 leads through a NAT64 translator (RFC 6052).
        if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 { return scope(v4: UInt32(truncatingIfNeeded: low)) }
        // 2002::/16 is 6to4, with the IPv4 address in the next 32 bits (RFC 3056).
        if high >> 48 == 0x2002 { return scope(v4: UInt32(truncatingIfNeeded: high >> 16)) }
        if high >> 57 == 0xFC >> 1 { return .privateUse }
        if high >> 54 == 0xFE80 >> 6 { return .linkLocal }
        if high >> 54 == 0xFEC0 >> 6 { return .privateUse }
        if high >> 56 == 0xFF { return .multicast }
        // Only 2000::/3 is assigned as global unicast.
        if high >> 61 != 0b001 { return .reserved }
        // 2001::/23 is for protocols such as Teredo; 2001:db8::/32 and 3fff::/20 are for documentation.
        if high >> 41 == 0x2001_0000 >> 9 || high >> 32 == 0x2001_0DB8 || high >> 44 == 0x3FFF0 {
            return .reserved
        }
        return .global
    }

    private static let specialV4: [(network: UInt32, length: UInt32, scope: AddressScope)] = [
        (0x0000_0000, 8, .unspecified),
        (0x0A00_0000, 8, .privateUse),
        (0x6440_0000, 10, .shared),
        (0x7F00_0000, 8, .loopback),
        (0xA9FE_0000, 16, .linkLocal),
        (0xAC10_0000, 12, .privateUse),
        (0xC000_0000, 24, .reserved),
        (0xC000_0200, 24, .reserved),
        (0xC058_6300, 24, .reserved),
        (0xC0A8_0000, 16, .privateUse),
        (0xC612_0000, 15, .reserved),
        (0xC633_6400, 24, .reserved),
        (0xCB00_7100, 24, .reserved),
        (0xE000_0000, 4, .multicast),
        (0xF000_0000, 4, .reserved),
    ]
}

/// The addresses that a request may connect to.
///
/// The policy applies to the resolved address, just before the socket connects, and again after each redirect. A name
/// that resolves to a private address, even only on a later lookup, is therefore refused.
package enum AddressPolicy: Sendable, Hashable {
    /// All addresses; proxies from the environment (`http_proxy`, `https_proxy`, `no_proxy`) are used.
    case any
    /// Addresses of scope `global` only, without a proxy, because a proxy's connections cannot be checked.
    case publicOnly

    /// Returns whether a socket may connect to an address.
    func permits(_ address: SocketAddress) -> Bool {
        switch self {
        case .any: true
        case .publicOnly: AddressScope(of: address) == .global
        }
    }
}
