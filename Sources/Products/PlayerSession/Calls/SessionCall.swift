/// One call of a player: its name and its arguments.
public struct SessionCall: Sendable, Hashable {
    /// The interface of a call, which decides which other calls are expected.
    enum Form: Sendable, Hashable {
        /// The separate calls of an app.
        case app
        /// `ggPM`, which has no `play`.
        case browser
        /// `trackEvent`, which is the only call of its interface.
        case tracked

        /// The interface, as the rules of the markets name it.
        var interface: PlayerInterface {
            switch self {
            case .app: .app
            case .browser: .browser
            case .tracked: .tracked
            }
        }
    }

    /// The call; nil if the given name is unknown.
    public let name: CallName?

    /// The arguments of the call.
    public let arguments: [MetadataValue]

    var form = Form.app

    /// The name that the player used, if it differs from that in the guides.
    private var ownName: String?

    /// The parsed tags of `sendID3`; nil if they are still an argument.
    private(set) var tags: [ParsedTag]?

    /// Creates a call.
    public init(_ name: CallName, _ arguments: [MetadataValue] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Creates the call with the name that a player used, known or not.
    public init(named name: String, _ arguments: [MetadataValue] = []) {
        self.name = CallName(name: name)
        let isOfBrowser = self.name == .initialize && name.lowercased() == "nlsq"
        self.arguments = isOfBrowser ? Self.information(ofBrowser: arguments) : arguments
        if self.name?.rawValue != name { ownName = name }
    }

    /// Returns the app's information from the arguments of `nlsQ`: the app id, the name of the instance, and an object
    /// (guide 000, "DCR Italy Audio Browser", "Initialization API call").
    private static func information(ofBrowser arguments: [MetadataValue]) -> [MetadataValue] {
        guard case .text? = arguments.first else { return arguments }
        let names = zip(["apid", "instanceName"], arguments).map { MetadataValue.Member($0, $1) }
        let others = arguments.count > 2 ? arguments[2].members ?? [] : []
        return [.object(names + others)]
    }

    init(_ name: CallName?, _ arguments: [MetadataValue], form: Form) {
        self.name = name
        self.arguments = arguments
        self.form = form
    }

    /// Creates a call of `sendID3` with the bytes of a tag, which are parsed here.
    ///
    /// - Parameter keepsBytes: whether the bytes are an argument, too, as one character for each byte.
    init(tag: Span<UInt8>, mediaTime: Double?, keepsBytes: Bool = false) {
        var arguments: [MetadataValue] = keepsBytes ? [.text(ParsedTag.text(of: tag))] : []
        if let mediaTime {
            if !keepsBytes { arguments.append(.null) }
            arguments.append(.number(mediaTime))
        }
        self.init(.sendID3, arguments)
        tags = ParsedTag.tags(in: tag)
    }

    /// The approximate size of its arguments and tags, in bytes.
    var byteCount: Int {
        arguments.reduce(0) { $0 + $1.byteCount } + (tags ?? []).reduce(0) { $0 + $1.byteCount }
    }

    /// The name of the call as the player spelled it.
    var givenName: String { ownName ?? name?.rawValue ?? "" }

    /// Whether the call has the name of `init` in browsers.
    var isOfBrowser: Bool { ownName?.lowercased() == "nlsq" }

    /// The call with its tags parsed, which takes longer than everything else that a session does with it.
    var parsed: SessionCall {
        guard name == .sendID3, tags == nil else { return self }
        var call = self
        call.tags = ParsedTag.tags(in: argument(0))
        return call
    }

    /// Returns the argument at an index; nil if it is missing or has no value.
    func argument(_ index: Int) -> MetadataValue? {
        guard index < arguments.count, !arguments[index].isAbsent else { return nil }
        return arguments[index]
    }

    /// The name of the call, or of the call that a `ggPM` call contains; nil if it is unknown.
    package var invokedName: CallName? { name == .ggPM ? ofBrowser.name : name }

    /// The call that a `ggPM` call contains.
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

extension SessionCall {
    /// Whether an argument, or a part of one, is null.
    var hasNull: Bool { arguments.contains(where: \.hasNull) }
}

extension MetadataValue {
    fileprivate var hasNull: Bool {
        switch self {
        case .null: true
        case .object(let members): members.contains { $0.value.hasNull }
        case .list(let elements): elements.contains(where: \.hasNull)
        case .flag, .number, .text: false
        }
    }
}
