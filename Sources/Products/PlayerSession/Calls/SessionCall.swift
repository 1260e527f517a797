public import MarketProfiles

/// One call of a player: its name and what it was given.
public struct SessionCall: Sendable, Hashable {
    /// By which door a call came, which decides what is expected of the others.
    enum Form: Sendable, Hashable {
        /// The calls of an app.
        case app
        /// `ggPM`, which has no `play`.
        case browser
        /// `trackEvent`, which has nothing else.
        case tracked
    }

    /// The call; nil where there is none of the name that was given.
    public let name: CallName?

    /// What it was given.
    public let arguments: [MetadataValue]

    var form = Form.app

    /// What `sendID3` was given, where it was read already.
    private(set) var tags: [HandedTag]?

    /// A call.
    public init(_ name: CallName, _ arguments: [MetadataValue] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// The call of a name that a player used, whatever it is.
    public init(named name: String, _ arguments: [MetadataValue] = []) {
        self.name = CallName(name: name)
        self.arguments = arguments
    }

    init(_ name: CallName?, _ arguments: [MetadataValue], form: Form) {
        self.name = name
        self.arguments = arguments
        self.form = form
    }

    /// The call with its tags read, which takes longer than all else that a session does with it.
    var read: SessionCall {
        guard name == .sendID3 else { return self }
        var call = self
        call.tags = HandedTag.tags(in: argument(0))
        return call
    }

    /// What the call was given at a place; nil where there is nothing, or no value.
    func argument(_ index: Int) -> MetadataValue? {
        guard index < arguments.count, !arguments[index].isAbsent else { return nil }
        return arguments[index]
    }

    /// The call that `ggPM` stands for.
    var ofBrowser: SessionCall {
        let rest = Array(arguments.dropFirst())
        let name: CallName? =
            switch arguments.first {
            case .number(let number): CallName(browserNumber: number)
            case .text(let text):
                CallName(name: text) ?? Double(text).flatMap { CallName(browserNumber: $0) }
            default: nil
            }
        return SessionCall(name == .ggPM ? nil : name, rest, form: .browser)
    }
}
