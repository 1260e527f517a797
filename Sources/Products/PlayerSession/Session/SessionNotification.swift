/// A notification from a session to the app: an event or an error of the guides.
public struct SessionNotification: Sendable, Hashable {
    /// The kinds of notification.
    public enum Kind: String, Sendable, Hashable {
        /// 2001, the session has started; 2002, it was shut down; 2101, the delivery works again.
        case event
        /// An error; `code` is one of `SessionErrorCode`.
        case error
    }

    /// The kind of the notification.
    public let kind: Kind
    /// The number of the event or error in the guides; 2101 is not in the guides.
    public let code: Int
    /// A short description, without secrets.
    public let text: String
    /// The time, in milliseconds of Unix time.
    public let timestamp: Int64

    /// The maximum number of notifications that wait for a delegate or a callback; the oldest ones are left out.
    package static let maximumWaitingCount = 1_000

    /// The numbers of the events in the guides, and of an additional one.
    static let startup = 2_001
    static let shutdown = 2_002
    static let deliveryRecovered = 2_101
}

/// A receiver of a session's notifications.
///
/// The session calls it with one notification at a time, in order, on a thread that made a call of the session or
/// observed a change. A call that the receiver makes is answered at once, and its own notifications follow afterwards.
/// While the receiver does not return, the newest 1,000 notifications wait.
public protocol MeasurementSessionDelegate: AnyObject, Sendable {
    /// Handles an event or an error.
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
        if pending.count >= SessionNotification.maximumWaitingCount { pending.removeFirst() }
        pending.append(notification)
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
