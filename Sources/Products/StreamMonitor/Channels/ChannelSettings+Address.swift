extension ChannelSettings {
    /// The host of the address in lower case, with the port if the address has one.
    var host: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let start = authority.lastIndex(of: "@").map { authority.index(after: $0) }
        return authority[(start ?? authority.startIndex)...].lowercased()
    }

    /// Creates channels for bare addresses, with ids and names derived from the addresses.
    ///
    /// - Parameter model: The settings other than address, id and name.
    package static func channels(at urls: [String], like model: ChannelSettings) -> [ChannelSettings] {
        var channels: [ChannelSettings] = []
        for url in urls {
            let base = id(ofAddress: url)
            var id = base
            var number = 2
            while channels.contains(where: { $0.id == id }) {
                id = "\(base.prefix(maximumIDLength - 6))-\(number)"
                number += 1
            }
            var channel = model
            channel.id = id
            channel.name = id
            channel.url = url
            channels.append(channel)
        }
        return channels
    }

    /// Returns an id made of the host and path of an address, with `-` in place of characters that an id cannot have.
    ///
    /// The query is left out because it may contain a secret.
    private static func id(ofAddress url: String) -> String {
        let address = url.prefix { $0 != "?" && $0 != "#" }
        let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address
        // Leave out user and password too.
        let host = rest.prefix { $0 != "/" }
        let start = host.lastIndex(of: "@").map { rest.index(after: $0) } ?? rest.startIndex
        var named = rest[start...]
        if let dot = named.lastIndex(of: "."), let slash = named.lastIndex(of: "/"), slash < dot {
            named = named[..<dot]
        }
        var id = ""
        for character in named.utf8 {
            let letter = String(decoding: [character], as: UTF8.self)
            if isID(letter), letter != "-" {
                id += letter
            } else if !id.hasSuffix("-") {
                id += "-"
            }
        }
        // The end of the address is its most distinctive part.
        id = String(id.suffix(maximumIDLength).drop { $0 == "-" })
        while id.hasSuffix("-") { id.removeLast() }
        return id.isEmpty ? "channel" : id
    }
}
