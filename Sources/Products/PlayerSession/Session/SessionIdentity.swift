import HostSystem
import MarketProfiles
import TagStore
import TextForms

/// What is kept of a device and its user over launches: two random ids, and the user's choice.
///
/// No part comes from the hardware. Neither id is sent with a tag; what stands for the buffer's id while the user has
/// opted out is.
struct SessionIdentity: Sendable, Hashable {
    /// Made once for the folder.
    private(set) var nuid: String
    /// Made anew after 180 days; nil where the app does not want one.
    private(set) var firstPartyID: String?
    private var firstPartyIDMade: Int64
    /// What stands for the buffer's id while the user has opted out, made for that time; nil of a user who has not.
    var optedOutStore: String?

    /// How long a first-party id lasts, in milliseconds.
    static let firstPartyIDAge: Int64 = 180 * 86_400_000
    private static let maximumByteCount = 4_096

    /// A new identity.
    init(now: Int64) {
        nuid = TagID.random().text
        firstPartyID = TagID.random().text
        firstPartyIDMade = now
    }

    /// The identity in a file's bytes; nil where they are none.
    init?(json: [UInt8]) {
        guard json.count <= Self.maximumByteCount, case .object(let members)? = MetadataValue(json: json)
        else {
            return nil
        }
        let object = Metadata(members: members)
        guard let nuid = object.text("nuid"), TagID(text: nuid) != nil else { return nil }
        self.nuid = nuid
        firstPartyID = object.text("fpid").flatMap { TagID(text: $0) == nil ? nil : $0 }
        firstPartyIDMade = object["fpid_made"]?.finiteNumber.flatMap { Int64(exactly: $0.rounded()) } ?? 0
        if object["opted_out"] == .flag(true) {
            let known = object.text("opted_out_store").flatMap { TagID(text: $0)?.text }
            optedOutStore = known ?? TagID.random().text
        }
    }

    /// The identity as the text of its file.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.write("nuid", nuid)
        writer.write("fpid", firstPartyID)
        writer.write("fpid_made", firstPartyIDMade)
        writer.key("opted_out")
        writer.value(optedOutStore != nil)
        if let optedOutStore { writer.write("opted_out_store", optedOutStore) }
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    /// Makes the first-party id anew where it is too old, and wipes it where the app wants none; says whether anything
    /// changed.
    mutating func renew(wantsFirstPartyID: Bool, now: Int64) -> Bool {
        guard wantsFirstPartyID else {
            defer { firstPartyID = nil }
            return firstPartyID != nil
        }
        // A clock that was set back must not keep an id for ever.
        let age = now - firstPartyIDMade
        if firstPartyID != nil, (0..<Self.firstPartyIDAge).contains(age) { return false }
        firstPartyID = TagID.random().text
        firstPartyIDMade = now
        return true
    }

    // MARK: The file

    /// Reads the identity of a folder; a new one where there is none, or none that can be read.
    static func load(from directory: String, now: Int64) -> SessionIdentity {
        do throws(SystemError) {
            let bytes = try FileSystem.firstBytes(of: path(in: directory), maximumByteCount + 1)
            return SessionIdentity(json: bytes) ?? SessionIdentity(now: now)
        } catch {
            return SessionIdentity(now: now)
        }
    }

    /// Writes it; synced when it returns.
    func save(in directory: String) throws(SystemError) {
        try PrivateFile.write(json, to: Self.path(in: directory), in: directory)
    }

    private static func path(in directory: String) -> String { "\(directory)/player.json" }
}
