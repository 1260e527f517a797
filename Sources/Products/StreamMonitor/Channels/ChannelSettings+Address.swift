extension ChannelSettings {
    /// The host that it is loaded from, in lower case, with its port where the address has one.
    var host: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let start = authority.lastIndex(of: "@").map { authority.index(after: $0) }
        return authority[(start ?? authority.startIndex)...].lowercased()
    }

    /// Channels at addresses that nobody has named: each is called after its address.
    ///
    /// - Parameter model: what they are like but for address, id and name.
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

    /// Host and path of an address, without what could be a secret (the query), with `-` for all that an id has not.
    private static func id(ofAddress url: String) -> String {
        let address = url.prefix { $0 != "?" && $0 != "#" }
        let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address
        // Neither has a user and a password a place in a name.
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
        // The end of an address tells channels apart.
        id = String(id.suffix(maximumIDLength).drop { $0 == "-" })
        while id.hasSuffix("-") { id.removeLast() }
        return id.isEmpty ? "channel" : id
    }
}
