import Testing

@testable import HTTPTransfer

@Suite struct AddressScopeTests {
    /// The first and the last address of each block in the registries, and the addresses just outside it.
    @Test(arguments: [
        ("0.0.0.0", AddressScope.unspecified), ("0.255.255.255", .unspecified), ("1.0.0.0", .global),
        ("9.255.255.255", .global), ("10.0.0.0", .privateUse), ("10.255.255.255", .privateUse),
        ("11.0.0.0", .global),
        ("100.63.255.255", .global), ("100.64.0.0", .shared), ("100.127.255.255", .shared),
        ("100.128.0.0", .global),
        ("126.255.255.255", .global), ("127.0.0.1", .loopback), ("127.255.255.255", .loopback),
        ("128.0.0.0", .global),
        ("169.253.255.255", .global), ("169.254.0.0", .linkLocal), ("169.254.169.254", .linkLocal),
        ("169.254.255.255", .linkLocal), ("169.255.0.0", .global),
        ("172.15.255.255", .global), ("172.16.0.0", .privateUse), ("172.31.255.255", .privateUse),
        ("172.32.0.0", .global),
        ("191.255.255.255", .global), ("192.0.0.0", .reserved), ("192.0.0.255", .reserved),
        ("192.0.1.0", .global), ("192.0.2.0", .reserved), ("192.0.2.255", .reserved), ("192.0.3.0", .global),
        ("192.88.98.255", .global), ("192.88.99.0", .reserved), ("192.88.99.255", .reserved),
        ("192.88.100.0", .global),
        ("192.167.255.255", .global), ("192.168.0.0", .privateUse), ("192.168.255.255", .privateUse),
        ("192.169.0.0", .global),
        ("198.17.255.255", .global), ("198.18.0.0", .reserved), ("198.19.255.255", .reserved),
        ("198.20.0.0", .global),
        ("198.51.99.255", .global), ("198.51.100.0", .reserved), ("198.51.100.255", .reserved),
        ("198.51.101.0", .global),
        ("203.0.112.255", .global), ("203.0.113.0", .reserved), ("203.0.113.255", .reserved),
        ("203.0.114.0", .global),
        ("223.255.255.255", .global), ("224.0.0.0", .multicast), ("239.255.255.255", .multicast),
        ("240.0.0.0", .reserved), ("255.255.255.255", .reserved),
    ])
    func scope_ofIPv4Address_matchesTheIANARegistry(text: String, scope: AddressScope) throws {
        let address = try #require(SocketAddress(text))
        #expect(AddressScope(of: address) == scope)
        // The same address in each of its IPv6 forms.
        guard case .v4(let value) = address else { throw Unexpected() }
        #expect(AddressScope(of: .v6(high: 0, low: 0xFFFF_0000_0000 | UInt64(value))) == scope)
        #expect(AddressScope(of: .v6(high: 0x0064_FF9B_0000_0000, low: UInt64(value))) == scope)
        #expect(AddressScope(of: .v6(high: 0x2002_0000_0000_0000 | UInt64(value) << 16, low: 1)) == scope)
    }

    @Test(arguments: [
        ("::", AddressScope.unspecified), ("::1", .loopback), ("::2", .reserved), ("::127.0.0.1", .reserved),
        ("::ffff:169.254.169.254", .linkLocal), ("::ffff:8.8.8.8", .global),
        ("64:ff9b::10.0.0.1", .privateUse), ("64:ff9b:1::1", .reserved), ("100::1", .reserved),
        ("1fff:ffff::", .reserved), ("2000::", .global), ("2001::1", .reserved), ("2001:1ff::1", .reserved),
        ("2001:200::1", .global), ("2001:db7::1", .global), ("2001:db8::1", .reserved),
        ("2001:db8:ffff::1", .reserved), ("2001:db9::1", .global), ("2002:7f00:1::1", .loopback),
        ("2606:4700::1111", .global), ("3fff::1", .reserved), ("3fff:fff::1", .reserved),
        ("3fff:1000::1", .global), ("3ffe:ffff::1", .global), ("4000::1", .reserved), ("5f00::1", .reserved),
        ("fbff::1", .reserved), ("fc00::1", .privateUse), ("fdff:ffff::1", .privateUse),
        ("fe7f::1", .reserved), ("fe80::1", .linkLocal), ("fe80::1%eth0", .linkLocal),
        ("febf:ffff::1", .linkLocal), ("fec0::1", .privateUse), ("feff:ffff::1", .privateUse),
        ("ff00::1", .multicast), ("ff02::1", .multicast),
    ])
    func scope_ofIPv6Address_matchesTheIANARegistry(text: String, scope: AddressScope) throws {
        #expect(AddressScope(of: try #require(SocketAddress(text))) == scope)
    }

    @Test func policy_publicOnly_permitsOnlyTheGlobalScope() throws {
        for (text, isPermitted) in [
            ("8.8.8.8", true), ("127.0.0.1", false), ("10.1.2.3", false), ("169.254.169.254", false),
            ("::1", false), ("::ffff:127.0.0.1", false), ("2606:4700::1111", true), ("fd00::1", false),
        ] {
            let address = try #require(SocketAddress(text))
            #expect(AddressPolicy.publicOnly.permits(address) == isPermitted)
            #expect(AddressPolicy.any.permits(address))
        }
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", ":::", "1.2.3.4/8", "0x7f.1"])
    func socketAddress_ofNonNumericText_isNil(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(arguments: 0...20)
    func socketAddress_ofBytes_needsFourOrSixteen(count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect((SocketAddress(networkBytes: bytes.span) != nil) == (count == 4 || count == 16))
    }

    private struct Unexpected: Error {}
}
