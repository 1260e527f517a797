/// What a session tells the app: an event or an error of the guides.
public struct SessionNotification: Sendable, Hashable {
    /// What kind of thing happened.
    public enum Kind: String, Sendable, Hashable {
        /// 2001, the session works; 2002, it was shut down.
        case event
        /// One of `SessionErrorCode`.
        case error
    }

    /// What kind of thing it is.
    public let kind: Kind
    /// Its number in the guides.
    public let code: Int
    /// What happened, in a few words, without anything secret.
    public let text: String
    /// When, in milliseconds of Unix time.
    public let timestamp: Int64

    /// The events of the guides.
    static let startup = 2_001
    static let shutdown = 2_002
}

/// Is told what a session has to say, on the thread of whoever made it happen; must return soon.
public protocol MeasurementSessionDelegate: AnyObject, Sendable {
    /// Takes an event or an error.
    func session(_ session: MeasurementSession, didNotify notification: SessionNotification)
}
