import PlayerSession
import TextForms

/// A request of a measurement SDK: the keys of its address.
///
/// The guides of Ireland print two of them (guides 000 and 004, "Example of SDK ping"). They explain no key: the
/// meanings below are those that the names and the values of the examples show.
struct Ping: Sendable, Hashable {
    /// The number of characters of the address.
    let characterCount: Int
    /// The collection facility that the host names, as in `secure-ire.nmrodam.com`; nil without one.
    let facility: String?
    private let values: [String: String]

    /// The identifying keys: a ping has at least one.
    private static let marks = ["prd", "ci", "sessionId"]

    /// Creates the ping of an address; nil if its path or its keys are not those of a ping.
    init?(_ address: String) {
        guard Self.isPath(of: address) else { return nil }
        var values: [String: String] = [:]
        let query = address.split(separator: "#", maxSplits: 1).first?.split(separator: "?", maxSplits: 1)
        for item in (query?.dropFirst().first ?? "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = PercentEncoding.decoded(pair[0])
            let value = pair.count == 2 ? PercentEncoding.decoded(pair[1]) : ""
            values[key] = Self.isNumbered(key) ? Self.unnamed(value) : value
        }
        guard Self.marks.contains(where: { values[$0] != nil }) else { return nil }
        self.values = values
        characterCount = address.unicodeScalars.count
        let host = address.split(separator: "/", maxSplits: 2).dropFirst().first
        let label = host?.split(separator: ".").first?.split(separator: "-")
        facility = label.flatMap {
            $0.count == 2 && $0[0].lowercased() == "secure" ? $0[1].lowercased() : nil
        }
    }

    /// Returns whether an address has the path of a ping, `/cgi-bin/gn`.
    static func isPath(of address: String) -> Bool {
        guard let path = address.split(whereSeparator: { $0 == "?" || $0 == "#" }).first else { return false }
        let parts = path.split(separator: "/")
        guard parts.count >= 4, let scheme = parts.first?.lowercased() else { return false }
        return (scheme == "https:" || scheme == "http:") && parts.suffix(2) == ["cgi-bin", "gn"]
    }

    /// Whether a key is a `c` with a number, whose value begins with a name and a comma.
    private static func isNumbered(_ key: String) -> Bool {
        key.utf8.count > 1 && key.utf8.first == UInt8(ascii: "c")
            && key.utf8.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func unnamed(_ value: String) -> String {
        value.firstIndex(of: ",").map { String(value[value.index(after: $0)...]) } ?? value
    }

    /// Returns the value of a key, without the name in it; nil without the key.
    subscript(key: String) -> String? { values[key] }

    /// Returns the value of a key; nil if there is none, or it is blank.
    func text(_ key: String) -> String? {
        values[key].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    /// Returns the number in a key; nil if there is none.
    func number(_ key: String) -> Double? { text(key).flatMap { MetadataValue.text($0).finiteNumber } }
}

extension Ping {
    /// The session of the asset, or of the app if the ping names no other; empty without one.
    var session: String { text("c59") ?? text("sessionId") ?? "" }

    /// Whether the asset is an advertisement (`c3=st,a`).
    var isAd: Bool { text("c3")?.lowercased() == "a" }

    /// Whether the asset is content (`c3=st,c`).
    var isContent: Bool { text("c3")?.lowercased() == "c" }

    /// Whether the content is live.
    var isLive: Bool { text("c58")?.lowercased() == "true" }

    /// Whether the ping is marked as that of a user who has opted out; nil if the mark is invalid.
    var isOptedOut: Bool? {
        switch values["uoo"]?.lowercased() {
        case "", "0", "false": false
        case "1", "true": true
        default: nil
        }
    }

    /// The event of the ping, such as `PL:1630053964727:0`, with the position of the player; nil without an event of
    /// this form.
    var event: (kind: String, position: String)? {
        let parts = (values["evdata"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 3 ? (String(parts[0]), String(parts[2])) : nil
    }

    /// Whether an earlier attempt to send the ping has failed (`sdd=retry,1~~...`).
    var isRetry: Bool {
        guard let retry = values["sdd"]?.split(separator: "~").first, retry.hasPrefix("retry,") else {
            return false
        }
        return retry != "retry,0"
    }

    /// The platform of the SDK, whose version begins with it; nil if it is unknown.
    var platform: Platform? {
        switch text("c16")?.prefix(3).lowercased() {
        case "aa.": .android
        case "ai.": .ios
        default: nil
        }
    }

    /// The keys of metadata that a ping has, by the key in the guides.
    static let metadataKeys: [(name: String, key: String)] = [
        ("assetid", "ai"), ("program", "cg"), ("title", "tl"), ("length", "sd"), ("airdate", "c54"),
        ("isfullepisode", "c53"), ("adloadtype", "c57"), ("segA", "c32"), ("segB", "c33"), ("segC", "c34"),
        ("progen", "c44"),
    ]

    /// Returns the metadata of the asset, with a type that stands for the type of the ping.
    func metadata(type: AssetType) -> Metadata {
        let members = Self.metadataKeys.compactMap { name, key in
            text(key).map { MetadataValue.Member(name, .text($0)) }
        }
        return Metadata(members: [MetadataValue.Member("type", .text(type.rawValue))] + members)
    }
}
