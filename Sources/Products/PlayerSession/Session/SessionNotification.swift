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

    /// The numbers of the events in the guides, and of an additional one.
    static let startup = 2_001
    static let shutdown = 2_002
    static let deliveryRecovered = 2_101
}

/// A receiver of a session's notifications.
///
/// The session calls it on the thread that caused the notification, so it must return soon.
public protocol MeasurementSessionDelegate: AnyObject, Sendable {
    /// Handles an event or an error.
    func session(_ session: MeasurementSession, didNotify notification: SessionNotification)
}
