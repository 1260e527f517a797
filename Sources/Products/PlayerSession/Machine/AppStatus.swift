import MarketProfiles

/// The parts of an app's information that the session uses.
struct AppIdentity: Sendable, Hashable {
    /// The id of the app.
    let appID: String
    /// The collection facility, in lower case.
    let facility: String
}

/// The known properties of the app, and whether it measures.
struct AppStatus: Sendable {
    private var identity: AppIdentity? {
        didSet { facility = identity?.facility ?? Self.defaultFacility }
    }
    private var isDisabledByApp = false
    private var hasFailed = false
    /// Whether the session has ended, so that tags are discarded.
    private(set) var isFinished = false

    /// The collection facility; that of the United States before the app is known.
    private(set) var facility = defaultFacility
    private static let defaultFacility = "us"

    /// Returns the state of the session.
    ///
    /// - Parameter isViewing: whether a viewing session is open.
    func state(isViewing: Bool) -> SessionState {
        if isDisabledByApp || hasFailed { return .disabled }
        if identity == nil { return .initial }
        return isViewing ? .processing : .idle
    }

    /// Registers the app, and returns its identity; nil if the app's information has no id.
    mutating func initialize(_ metadata: Metadata?, _ step: inout SessionStep) -> AppIdentity? {
        guard let metadata, let appID = metadata.text("appid") else {
            // A failed second attempt does not stop a running session.
            if identity == nil { hasFailed = true }
            step.fail(.appID)
            return nil
        }
        if identity != nil { step.find(.callOutOfOrder) }
        for (key, code) in [("appname", SessionErrorCode.appName), ("appversion", .appVersion)] {
            if metadata.text(key) != nil { continue }
            step.find(.keyMissing)
            if metadata[key] == .text("") { step.report(code) }
        }
        step.validateSpelling(of: metadata)
        hasFailed = false
        let app = AppIdentity(
            appID: appID, facility: (metadata.text("sfcode") ?? Self.defaultFacility).lowercased())
        identity = app
        return app
    }

    /// Forgets the app, which may be initialized again.
    mutating func shutDown() {
        identity = nil
        hasFailed = false
    }

    /// Disables measurement, or enables it again; returns whether it was enabled and now is not.
    mutating func disable(_ isDisabled: Bool) -> Bool {
        defer { isDisabledByApp = isDisabled }
        return isDisabled && !isDisabledByApp
    }

    /// Ends the session permanently.
    mutating func finish() { isFinished = true }
}

/// The user's choice whether to be measured.
struct OptOutChoice: Sendable {
    /// The id that replaces the buffer's id while the user has opted out; nil for a user who has not.
    private(set) var store: String?

    init(store: String? = nil) { self.store = store }

    /// Whether the user has opted out.
    var isOptedOut: Bool { store != nil }

    /// Whether nothing is stored.
    func discards(by policy: SessionPolicy) -> Bool { isOptedOut && !policy.sendsOptedOut }

    /// Returns the keys that records leave out.
    func withholding(_ policy: SessionPolicy) -> Withholding {
        Withholding(names: policy.withheldNames, isOptedOut: isOptedOut)
    }

    /// Returns whether the user opts out, from an address of the opt-out page; nil for any other text.
    static func isOut(address: String) -> Bool? {
        switch address {
        case "nielsenappsdk://1": true
        case "nielsenappsdk://0": false
        default: nil
        }
    }

    /// Returns whether the user opts out, from a key's value; nil if the text is not a choice.
    static func isOut(text: String) -> Bool? { isOut(address: text) ?? MetadataValue.text(text).isOn }
}

extension MetadataValue {
    /// The meaning of a Boolean or of a word for one; nil for any other value.
    var isOn: Bool? {
        switch scalarText?.lowercased() {
        case "true", "1", "yes", "y": true
        case "false", "0", "no", "n": false
        default: nil
        }
    }
}
