import MarketProfiles

/// Initialization and shutdown, the user's choice, and the app's other events.
extension SessionMachine {
    mutating func initialize(_ call: SessionCall, _ step: inout SessionStep) {
        let metadata = call.argument(0).flatMap { Metadata($0, names: policy.names) }
        guard let metadata, let appID = metadata.text("appid") else {
            // A failed second attempt does not stop a running session.
            if app == nil { hasFailed = true }
            step.fail(.appID)
            return
        }
        if app != nil { step.find(.callOutOfOrder) }
        for (key, code) in [("appname", SessionErrorCode.appName), ("appversion", .appVersion)] {
            if metadata.text(key) != nil { continue }
            step.find(.keyMissing)
            if metadata[key] == .text("") { step.report(code) }
        }
        validate(validator.violations(ofPart: metadata).filter { $0.kind == .spelling }, &step)
        hasFailed = false
        let identity = AppIdentity(appID: appID, facility: (metadata.text("sfcode") ?? "us").lowercased())
        app = identity
        step.actions.append(.configure(identity))
        if let choice = metadata.text("uoo") ?? metadata.text("optout"), let isOut = Self.optOut(choice) {
            setOptedOut(isOut, &step)
        }
        if let flag = metadata["enablefpid"] {
            step.actions.append(.setFirstPartyID(Self.isOn(flag) ?? true))
        }
    }

    mutating func free(_ step: inout SessionStep) {
        close(.none, &step)
        app = nil
        hasFailed = false
        asset = nil
        tracked = nil
        playhead = Playhead()
        step.actions.append(.shutDown)
    }

    mutating func disable(_ call: SessionCall, _ step: inout SessionStep) {
        guard let value = call.argument(0), let isOn = Self.isOn(value) else {
            step.find(.valueType)
            step.fail(.emptyValue)
            return
        }
        if isOn, !isDisabledByApp { close(.none, &step) }
        isDisabledByApp = isOn
    }

    // MARK: The user's choice

    mutating func optOut(_ call: SessionCall, _ step: inout SessionStep) {
        guard let text = call.argument(0)?.scalarText, let isOut = Self.optOutAddress(text) else {
            step.result.outcome = .ignored
            return
        }
        setOptedOut(isOut, &step)
    }

    /// Applies the user's choice, from now on and across launches.
    mutating func setOptedOut(_ isOut: Bool, _ step: inout SessionStep) {
        if isOut != isOptedOut { go(to: isOut ? makeID() : nil, &step) }
        step.actions.append(.setOptedOut(store: optedOutStore))
    }

    /// Switches to opted out or back, whichever session the choice was made in.
    mutating func go(to store: String?, _ step: inout SessionStep) {
        if let current = viewing {
            flush(&step)
            summarize(&step)
            // A new viewing session, so that tags before and after the choice have no id in common.
            reopen(current)
        }
        optedOutStore = store
    }

    private mutating func reopen(_ before: ViewingSession) {
        open(before.channel, form: before.form)
        viewing?.hasPlay = before.hasPlay
        viewing?.goesByPlayheads = before.goesByPlayheads
        viewing?.hasMetadata = before.hasMetadata
        viewing?.isStopped = before.isStopped
        viewing?.isPaused = before.isPaused
        viewing?.isFirstTagChecked = before.isFirstTagChecked
    }

    /// Returns the choice in an address of the opt-out page; nil for any other text.
    private static func optOutAddress(_ text: String) -> Bool? {
        switch text {
        case "nielsenappsdk://1": true
        case "nielsenappsdk://0": false
        default: nil
        }
    }

    /// Returns the user's choice in a key's value or in the Simplified API; nil if the text is not a choice.
    static func optOut(_ text: String) -> Bool? { optOutAddress(text) ?? isOn(.text(text)) }

    static func isOn(_ value: MetadataValue) -> Bool? {
        switch value.scalarText?.lowercased() {
        case "true", "1", "yes", "y": true
        case "false", "0", "no", "n": false
        default: nil
        }
    }

    // MARK: The app

    mutating func enterBackground(_ step: inout SessionStep) {
        if let viewing { close(.background(viewing), &step) }
        step.actions.append(.upload)
    }

    mutating func enterForeground(_ step: inout SessionStep) {
        guard viewing == nil, case .background(let before) = ending else { return }
        reopen(before)
        viewing?.resume()
    }

    mutating func processEvent(_ call: SessionCall, _ step: inout SessionStep) {
        let value = call.argument(0)
        let type = value?.members.flatMap { Metadata(members: $0).text("type") } ?? value?.scalarText
        switch type?.lowercased() {
        case "blur", "appclose", "appinbackground": enterBackground(&step)
        case "focus", "appinforeground": enterForeground(&step)
        default:
            step.find(.callUnknown)
            step.result.outcome = .ignored
        }
    }

    func requireNumber(_ call: SessionCall, _ step: inout SessionStep) {
        if call.argument(0)?.finiteNumber == nil { step.find(.valueType) }
    }

    func requireFlag(_ call: SessionCall, _ step: inout SessionStep) {
        if call.argument(0).flatMap(Self.isOn) == nil { step.find(.valueType) }
    }

    func requireObject(_ call: SessionCall, _ step: inout SessionStep) {
        guard let value = call.argument(0) else { return step.find(.valueType) }
        if case .list = value { return }
        if value.members == nil { step.find(.valueType) }
    }
}
