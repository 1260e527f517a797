/// The keys that records leave out, at every depth of an object.
struct Withholding: Sendable, Hashable {
    /// The keys that the configuration withholds, in lower case.
    var names: Set<String> = []
    /// Whether the user has opted out, so that the keys that identify a person or a device are withheld as well.
    var isOptedOut = false

    /// Whether nothing is withheld.
    private var isEmpty: Bool { names.isEmpty && !isOptedOut }

    /// Returns whether a key is withheld.
    func withholds(_ key: String) -> Bool {
        let name = key.lowercased()
        if names.contains(name) { return true }
        return isOptedOut && Self.identifyingNames.contains(name.filter { $0 != "_" && $0 != "-" })
    }

    /// Returns the members without those withheld.
    func remaining(_ members: [MetadataValue.Member]) -> [MetadataValue.Member] {
        if isEmpty { return members }
        return members.compactMap { member in
            withholds(member.key) ? nil : MetadataValue.Member(member.key, remaining(member.value))
        }
    }

    private func remaining(_ value: MetadataValue) -> MetadataValue {
        switch value {
        case .object(let members): .object(remaining(members))
        case .list(let elements): .list(elements.map(remaining))
        default: value
        }
    }

    /// The keys that identify a person, a device or an installation, in lower case and without `_` and `-`.
    ///
    /// docs/players.md lists them.
    static let identifyingNames: Set<String> = [
        // The guides' own keys: app information (guide 002, 3.1), `updateOTT` (guide 004), the ids of the SDK.
        "deviceid", "devid", "nuid", "fpid", "firstpartyid", "latitude", "longitude", "uoo", "optout",
        "useroptout", "ottdeviceid", "ottdevicemodel",
        // Ids of the platforms, and of persons.
        "idfa", "idfv", "gaid", "aaid", "adid", "advertisingid", "googleadvertisingid", "androidid",
        "vendorid",
        "installationid", "uuid", "udid", "imei", "macaddress", "mac", "serialnumber", "ip", "ipaddress",
        "useragent",
        "userid", "uid", "uid2", "uid2token", "customerid", "subscriberid", "accountid", "personid",
        "householdid",
        "username", "email", "emailhash", "hememail", "hemmd5", "hemsha1", "hemsha256", "phone",
        "phonenumber",
        "lat", "lon", "lng", "location", "geolocation", "postalcode", "zip", "zipcode", "age", "birthday",
        "gender",
    ]
}
