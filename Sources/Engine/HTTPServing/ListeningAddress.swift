import Glibc

/// A numeric address and a port in the form for bind().
struct ListeningAddress {
    private var v4 = sockaddr_in()
    private var v6 = sockaddr_in6()
    let isIPv6: Bool

    init?(_ text: String, port: UInt16) {
        // inet_pton writes exactly the given structure.
        if unsafe inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            isIPv6 = false
        } else if unsafe inet_pton(AF_INET6, text, &v6.sin6_addr) == 1 {
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            isIPv6 = true
        } else {
            return nil
        }
    }

    /// Whether only programs of this machine can connect to the address.
    var isLoopback: Bool {
        if !isIPv6 { return UInt32(bigEndian: v4.sin_addr.s_addr) >> 24 == 127 }
        let bytes = unsafe withUnsafeBytes(of: v6.sin6_addr) { unsafe Array($0) }
        let isMapped = bytes[..<12].elementsEqual([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        return isMapped ? bytes[12] == 127 : bytes.elementsEqual([UInt8](repeating: 0, count: 15) + [1])
    }

    /// Calls `body` with a pointer to the address that is valid for the call.
    mutating func withPointer<Value>(_ body: (UnsafeMutableRawPointer) -> Value) -> Value {
        if isIPv6 {
            return unsafe withUnsafeMutablePointer(to: &v6) { unsafe body(UnsafeMutableRawPointer($0)) }
        }
        return unsafe withUnsafeMutablePointer(to: &v4) { unsafe body(UnsafeMutableRawPointer($0)) }
    }
}
