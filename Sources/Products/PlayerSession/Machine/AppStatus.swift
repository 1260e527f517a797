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
        didSet {
            facility = identity?.facility ?? Self.defaultFacility
            isInitialized = identity != nil
        }
    }
    /// Whether the app is known; unlike a comparison of `identity` with nil, it copies nothing.
    private var isInitialized = false
    /// The collection facility that the app named, in lower case; nil if it named none.
    private(set) var namedFacility: String?
    /// The app's information, until a call shows which rules apply to the keys that are missing.
    private var unchecked: Metadata?
    private var isDisabledByApp = false
    /// Whether the app is the page of a browser.
    private(set) var isBrowser = false
    /// Whether the last information of the app had no id, before any that had one.
    private(set) var hasFailed = false
    /// Whether the session has ended, so that tags are discarded.
    private(set) var isFinished = false

    /// The collection facility; that of the United States before the app is known.
    private(set) var facility = defaultFacility
    private static let defaultFacility = "us"

    /// Returns the state of the session.
    ///
    /// - Parameter isViewing: whether a viewing session is open.
    func state(isViewing: Bool) -> SessionState {
        if isDisabledByApp { return .disabled }
        if !isInitialized { return .initial }
        return isViewing ? .processing : .idle
    }

    /// Registers the app, and returns its identity; nil if the app's information has no id.
    ///
    /// - Parameters:
    ///   - value: the app's information as the app has passed it.
    ///   - metadata: its members; nil if it is not an object.
    mutating func initialize(
        _ value: MetadataValue?, _ metadata: Metadata?, _ step: inout SessionStep
    ) -> AppIdentity? {
        isBrowser = step.interface == .browser
        guard let metadata, let appID = metadata.text("appid") else {
            // A failed second attempt does not change a running session.
            if identity == nil {
                hasFailed = true
                // The text may have held an opt-out.
                step.write(.quarantine)
            }
            step.fail(.appID, Self.problem(of: value, metadata))
            return nil
        }
        if identity != nil { step.find(.callOutOfOrder) }
        hasFailed = false
        namedFacility = metadata.text("sfcode")?.lowercased()
        step.facility = step.policy.facility ?? namedFacility
        identity = AppIdentity(appID: appID, facility: namedFacility ?? Self.defaultFacility)
        validate(metadata, &step)
        return identity
    }

    /// Returns why an app's information has no usable id, without its contents.
    private static func problem(of value: MetadataValue?, _ metadata: Metadata?) -> String {
        if let metadata {
            return "the app's information has "
                + (metadata.members.contains { $0.key.lowercased() == "appid" }
                    ? "an empty appid" : "no appid")
        }
        let reason =
            switch value {
            case nil: "it is missing"
            case .text(let text)?: MetadataValue.problem(ofObject: text)
            default: "it is not an object"
            }
        return "the app's information cannot be read: \(reason)"
    }

    /// Returns whether the information of an app has the name of the id in browsers alone.
    static func isOfBrowser(_ information: Metadata?) -> Bool {
        information?.text("appid") == nil && information?.text("apid") != nil
    }

    /// Returns an app's information with its id under its usual name; browsers name it `apid`.
    static func withUsualID(_ information: Metadata) -> Metadata {
        guard information.text("appid") == nil, let id = information["apid"] else { return information }
        return information.updated(with: Metadata(members: [.init("appid", id)]))
    }

    /// Validates the app's information.
    ///
    /// Guide 002 requires keys that guide 003 does not, for the same facility. A key that is missing is therefore found
    /// by the first call, which shows the interface.
    private mutating func validate(_ metadata: Metadata, _ step: inout SessionStep) {
        for (key, code) in [("appname", SessionErrorCode.appName), ("appversion", .appVersion)]
        where metadata[key] == .text("") {
            step.report(code)
        }
        let isDecided = MarketProfile.interfaces(of: step.facility).count < 2
        unchecked = isDecided ? nil : metadata
        step.find(
            MetadataValidator(step.profile).violations(ofApp: metadata).filter { violation in
                isDecided || violation.kind != .missing || metadata[violation.key.lowercased()] != nil
            }, in: metadata, isOfApp: true)
    }

    /// Finds the keys that are missing from the app's information, once a call shows the interface.
    mutating func checkInformation(_ step: inout SessionStep) {
        guard let metadata = unchecked else { return }
        unchecked = nil
        step.find(
            MetadataValidator(step.profile).violations(ofApp: metadata).filter { violation in
                violation.kind == .missing && metadata[violation.key.lowercased()] == nil
            }, in: metadata, isOfApp: true)
    }

    /// Forgets the app, which may be initialized again.
    mutating func shutDown() {
        identity = nil
        namedFacility = nil
        unchecked = nil
        hasFailed = false
    }

    /// Disables measurement, or enables it again; returns whether it was enabled and now is not.
    mutating func disable(_ isDisabled: Bool) -> Bool {
        defer { isDisabledByApp = isDisabled }
        return isDisabled && !isDisabledByApp
    }

    /// Whether `checkInformation` has something to check.
    var isUnchecked: Bool { unchecked != nil }

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
