import NielsenID3
import TagDelivery
import TagRecord
import TextForms

/// An app session, from the initialization of the app to its end or a change of the user's choice, and its record.
struct AppSession: Sendable {
    /// A random id, derived from nothing else; nil before the initialization.
    private(set) var id: String?
    /// Whether no record of this app session has been written yet.
    private(set) var isPending = false
    private var information = Metadata()
    private var facility = ""
    private let makeID: @Sendable () -> String

    init(makeID: @escaping @Sendable () -> String) { self.makeID = makeID }

    /// Begins an app session, unless the app initializes the same one again.
    mutating func begin(_ information: Metadata, facility: String) {
        if id != nil, facility == self.facility, information.says(the: self.information) { return }
        self.information = information
        self.facility = facility
        id = makeID()
        isPending = true
    }

    /// Replaces the app session by one under another id.
    mutating func renew() {
        guard id != nil else { return }
        id = makeID()
        isPending = true
    }

    mutating func end() {
        id = nil
        isPending = false
    }

    /// Returns the record of the app session, which is then no longer pending.
    mutating func record(_ choice: OptOutChoice, _ policy: SessionPolicy) -> PlayerRecord {
        isPending = false
        var content = RecordContent()
        content.add { writer in
            writer.write("library", Uploader.version)
            writer.write("market", facility)
            if choice.isOptedOut { return }
            writer.key("opted_out")
            writer.value(false)
        }
        content.add("app", information, withholding: choice.withholding(policy))
        let place = SessionPlace(id: "", order: 0, appSession: id, optedOutStore: choice.store)
        return PlayerRecord(.app, at: place, content: content.finish())
    }
}
