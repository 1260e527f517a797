import Glibc
import HostSystem
import TagStore
import TextForms

/// A session's request to change the identity of its folder.
struct IdentityRequest: Sendable, Hashable {
    /// The user's choice: the id that replaces the buffer's id from now on, or none for a user who has not opted out;
    /// nil if it is unchanged.
    var optedOutStore: String??
    /// Whether the app allows a first-party id; nil if it is unchanged.
    var wantsFirstPartyID: Bool?

    /// Merges a later request into this one.
    mutating func merge(_ later: IdentityRequest) {
        optedOutStore = later.optedOutStore ?? optedOutStore
        wantsFirstPartyID = later.wantsFirstPartyID ?? wantsFirstPartyID
    }
}

/// The persistent identity of a device and its user: two random ids, and the user's choice.
///
/// No part comes from the hardware. Neither id is sent with a tag. The id that replaces the buffer's id while the user
/// has opted out is sent.
struct SessionIdentity: Sendable, Hashable {
    /// Created once for the folder.
    private(set) var nuid: String
    /// Replaced after 180 days; nil if the app disables it.
    private(set) var firstPartyID: String?
    /// In milliseconds of Unix time; 0 if the wall clock was not trusted then.
    private var firstPartyIDMade: Int64
    /// The id that replaces the buffer's id while the user has opted out, created for that period; nil for a user who
    /// has not.
    var optedOutStore: String?

    /// The lifetime of a first-party id, in milliseconds.
    static let firstPartyIDAge: Int64 = 180 * 86_400_000
    private static let maximumByteCount = 4_096
    /// The latest plausible time, far beyond any date; a later one means that the file is damaged.
    private static let latestTime: Int64 = 1 << 53

    /// Creates a new identity.
    init(now: ClockReading) {
        nuid = TagID.random().text
        firstPartyID = TagID.random().text
        firstPartyIDMade = now.isTrusted ? now.wall : 0
    }

    /// Parses the contents of an identity file; nil if they are invalid.
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

    /// The contents of the identity file.
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

    /// Replaces a first-party id that is too old, and removes it if the app disables it; returns whether it changed
    /// anything.
    ///
    /// The age is known only if the wall clock is trusted now and was trusted when the id was created. If it was not
    /// trusted then, the age counts from the first time that it is.
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
            // A clock that was set back must not keep an id alive forever.
            let (age, isTooLong) = now.wall.subtractingReportingOverflow(made)
            if !isTooLong, (0..<Self.firstPartyIDAge).contains(age) { return false }
        }
        firstPartyID = TagID.random().text
        firstPartyIDMade = now.isTrusted ? now.wall : 0
        return true
    }

    /// Applies what a session has decided.
    mutating func apply(_ request: IdentityRequest, now: ClockReading) {
        if let store = request.optedOutStore { optedOutStore = store }
        if let isWanted = request.wantsFirstPartyID { _ = renew(wantsFirstPartyID: isWanted, now: now) }
    }

    // MARK: The file

    /// Returns the identity in a folder; nil if there is none, it is unreadable, or other users may change it.
    static func stored(in directory: String) -> SessionIdentity? {
        do throws(SystemError) {
            _ = try open(directory)
            return SessionIdentity(
                json: try FileSystem.firstBytes(of: path(in: directory), maximumByteCount + 1))
        } catch {
            return nil
        }
    }

    /// Updates the identity file of a folder, syncs it, and returns the identity that it has now.
    ///
    /// Sessions of other processes may use the folder too: their changes stay.
    ///
    /// - Parameters:
    ///   - change: the changes to apply.
    ///   - identity: the identity for a folder that has none.
    static func save(
        _ change: Change, to directory: String, orNew identity: SessionIdentity
    ) throws(SystemError) -> SessionIdentity {
        try FileSystem.makeDirectory(directory)
        // Locked until the file is replaced.
        let lock = try open(directory)
        try lock.lock()
        let stored = stored(in: directory)
        var next = stored ?? identity
        next.apply(change)
        if next != stored { try FileSystem.replace(path(in: directory), with: next.json) }
        return next
    }

    /// The changes that sessions have made since the file was last written.
    struct Change: Sendable, Hashable {
        /// The new id that replaces the buffer's id, or none; nil if it is unchanged.
        var optedOutStore: String??
        /// The new first-party id, or none, with its creation time; nil if it is unchanged.
        var firstPartyID: FirstPartyID?

        struct FirstPartyID: Sendable, Hashable {
            let id: String?
            let made: Int64
        }

        /// Merges a later change into this one.
        mutating func merge(_ later: Change) {
            optedOutStore = later.optedOutStore ?? optedOutStore
            firstPartyID = later.firstPartyID ?? firstPartyID
        }
    }

    /// Returns the changes since an earlier state.
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

    /// Opens a folder that no other user has prepared or may change.
    private static func open(_ directory: String) throws(SystemError) -> FileDescriptor {
        let folder = try FileDescriptor(path: directory, options: [.reading, .directory])
        guard try TrustedUsers.own.objection(to: folder) == nil else {
            throw SystemError(operation: "use a folder of another user:", path: directory, code: EPERM)
        }
        return folder
    }

    static func path(in directory: String) -> String { "\(directory)/player.json" }
}
