import TextForms

/// A notification from a session to the app: an event or an error of the guides, or a deviation from them.
public struct SessionNotification: Sendable, Hashable {
    /// The kinds of notification.
    public enum Kind: String, Sendable, Hashable {
        /// 2001, the session has started; 2002, it was shut down; 2101, the delivery works again; 2102, nothing is
        /// recorded.
        case event
        /// An error; `code` is one of `SessionErrorCode`.
        case error
        /// A deviation from the guides, which is `finding`; `code` is 2201.
        case finding
    }

    /// The kind of the notification.
    public let kind: Kind
    /// The number of the event or error in the guides; 2101, 2102 and 2201 are not in the guides.
    public let code: Int
    /// The deviation; nil for events and errors.
    public let finding: PlayerFinding?
    private let ownText: String
    /// The time, in milliseconds of Unix time.
    public internal(set) var timestamp: Int64 = 0

    /// A short description, without secrets; that of a finding has the key, the expected value and the guide.
    public var text: String { finding?.notice ?? ownText }

    init(_ kind: Kind, _ code: Int, _ text: String) {
        self.kind = kind
        self.code = code
        ownText = text
        finding = nil
    }

    /// Creates the notification of a deviation, whose text is made when it is read.
    init(_ finding: PlayerFinding) {
        kind = .finding
        code = Self.deviation
        ownText = ""
        self.finding = finding
    }

    /// The maximum number of notifications that wait for a delegate or a callback; the oldest ones are left out.
    package static let maximumWaitingCount = 1_000

    /// The numbers of the events in the guides, and of an additional one.
    static let startup = 2_001
    static let shutdown = 2_002
    static let deliveryRecovered = 2_101
    private static let deviation = 2_201

    /// Guide 004, "Privacy and Opt-Out", asks every app to call `userOptOut` directly after `init`.
    static let nothingRecorded = SessionNotification(
        .event, 2_102,
        """
        the guide of Ireland opts every user out, and the configuration does not set "optedOut" to "send", so \
        nothing is recorded after userOptOut
        """)

    /// The notification as a JSON object: `code`, `description`, `timestamp`.
    package var value: MetadataValue {
        ["code": .number(Double(code)), "description": .text(text), "timestamp": .number(Double(timestamp))]
    }

    /// The notification as JSON text.
    package var json: String {
        var writer = JSONWriter()
        value.write(to: &writer, maximumDepth: 1)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// A receiver of a session's notifications.
///
/// The session calls it with one notification at a time, in order, on a thread that made a call of the session or
/// observed a change. A call that the receiver makes is answered at once, and its own notifications follow afterwards.
/// While the receiver does not return, the newest 1,000 notifications wait.
public protocol MeasurementSessionDelegate: AnyObject, Sendable {
    /// Handles an event, an error or a finding.
    func session(_ session: MeasurementSession, didNotify notification: SessionNotification)
}

/// A weak reference to a delegate, which compares by identity.
struct WeakDelegate: Sendable, Hashable {
    private(set) weak var delegate: (any MeasurementSessionDelegate)?
    private let id: ObjectIdentifier?

    init(_ delegate: (any MeasurementSessionDelegate)? = nil) {
        self.delegate = delegate
        id = delegate.map { ObjectIdentifier($0) }
    }

    static func == (one: WeakDelegate, other: WeakDelegate) -> Bool { one.id == other.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The notifications that wait for a delegate.
struct DelegateQueue: Sendable {
    /// The receiver.
    var receiver: WeakDelegate
    private var pending: [SessionNotification] = []
    private var isDelivering = false

    init(_ receiver: WeakDelegate) { self.receiver = receiver }

    /// Adds a notification, if there is a delegate.
    mutating func add(_ notification: SessionNotification) {
        guard receiver.delegate != nil else { return }
        pending.add(notification)
    }

    /// Marks the queue as being delivered; returns whether the caller must call `next` until it returns nil.
    mutating func begin() -> Bool {
        guard !isDelivering, !pending.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// Returns the next notification with its receiver, or nil when there is none; delivering then ends.
    mutating func next() -> (delegate: any MeasurementSessionDelegate, notification: SessionNotification)? {
        guard let delegate = receiver.delegate, !pending.isEmpty else {
            pending = []
            isDelivering = false
            return nil
        }
        return (delegate, pending.removeFirst())
    }
}

extension [SessionNotification] {
    /// Adds a notification to those that wait, and returns whether there are more of them.
    ///
    /// Without room, a finding is left out before the oldest notification.
    @discardableResult
    package mutating func add(_ notification: SessionNotification) -> Bool {
        if count >= SessionNotification.maximumWaitingCount {
            if notification.kind == .finding { return false }
            remove(at: firstIndex { $0.kind == .finding } ?? 0)
            append(notification)
            return false
        }
        append(notification)
        return true
    }
}
