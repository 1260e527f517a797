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
    /// In milliseconds of Unix time; 0 where nobody vouched for the wall clock then.
    private var firstPartyIDMade: Int64
    /// What stands for the buffer's id while the user has opted out, made for that time; nil of a user who has not.
    var optedOutStore: String?

    /// How long a first-party id lasts, in milliseconds.
    static let firstPartyIDAge: Int64 = 180 * 86_400_000
    private static let maximumByteCount = 4_096
    /// Far beyond any date: what a file says beyond it is damage.
    private static let latestTime: Int64 = 1 << 53

    /// A new identity.
    init(now: ClockReading) {
        nuid = TagID.random().text
        firstPartyID = TagID.random().text
        firstPartyIDMade = now.isTrusted ? now.wall : 0
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
        firstPartyIDMade =
            object["fpid_made"]?.finiteNumber.flatMap { Int64(exactly: $0.rounded()) }
            .flatMap { (0...Self.latestTime).contains($0) ? $0 : nil } ?? 0
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
    ///
    /// Its age is known only where somebody vouches for the wall clock, now and when the id was made; where nobody did then, it
    /// counts from the first time that somebody does.
    mutating func renew(wantsFirstPartyID: Bool, now: ClockReading) -> Bool {
        guard wantsFirstPartyID else {
            defer { firstPartyID = nil }
            return firstPartyID != nil
        }
        if firstPartyID != nil {
            guard now.isTrusted else { return false }
            let made = firstPartyIDMade
            if made == 0 {
                firstPartyIDMade = now.wall
                return true
            }
            // A clock that was set back must not keep an id for ever.
            let (age, isTooLong) = now.wall.subtractingReportingOverflow(made)
            if !isTooLong, (0..<Self.firstPartyIDAge).contains(age) { return false }
        }
        firstPartyID = TagID.random().text
        firstPartyIDMade = now.isTrusted ? now.wall : 0
        return true
    }

    // MARK: The file

    /// Returns the identity that a folder has; nil where it has none, or none that can be read.
    static func stored(in directory: String) -> SessionIdentity? {
        do throws(SystemError) {
            return SessionIdentity(
                json: try FileSystem.firstBytes(of: path(in: directory), maximumByteCount + 1))
        } catch {
            return nil
        }
    }

    /// Brings the file of a folder up to date, and returns the identity that it has now; synced when it returns.
    ///
    /// Sessions of other processes may use the folder too: their changes stay.
    ///
    /// - Parameters:
    ///   - change: what has changed.
    ///   - identity: the identity of a folder that has none.
    static func save(
        _ change: Change, to directory: String, orNew identity: SessionIdentity
    ) throws(SystemError) -> SessionIdentity {
        try FileSystem.makeDirectory(directory)
        // Held until the file is replaced.
        let lock = try FileDescriptor(path: directory, options: [.reading, .directory])
        try lock.lock()
        let stored = stored(in: directory)
        var next = stored ?? identity
        next.apply(change)
        if next != stored { try PrivateFile.write(next.json, to: path(in: directory), in: directory) }
        return next
    }

    /// What sessions have changed since the file was written last.
    struct Change: Sendable, Hashable {
        /// What stands for the buffer's id now, or that nothing does; nil where that has not changed.
        var optedOutStore: String??
        /// The first-party id, or none, and when it was made; nil where it has not changed.
        var firstPartyID: FirstPartyID?

        struct FirstPartyID: Sendable, Hashable {
            let id: String?
            let made: Int64
        }

        /// Adds a later change.
        mutating func merge(_ later: Change) {
            optedOutStore = later.optedOutStore ?? optedOutStore
            firstPartyID = later.firstPartyID ?? firstPartyID
        }
    }

    /// What has changed since an earlier state.
    func change(since earlier: SessionIdentity) -> Change {
        var change = Change()
        if optedOutStore != earlier.optedOutStore { change.optedOutStore = .some(optedOutStore) }
        if firstPartyID != earlier.firstPartyID || firstPartyIDMade != earlier.firstPartyIDMade {
            change.firstPartyID = .init(id: firstPartyID, made: firstPartyIDMade)
        }
        return change
    }

    mutating func apply(_ change: Change) {
        if let optedOutStore = change.optedOutStore { self.optedOutStore = optedOutStore }
        if let change = change.firstPartyID {
            firstPartyID = change.id
            firstPartyIDMade = change.made
        }
    }

    private static func path(in directory: String) -> String { "\(directory)/player.json" }
}
