public import MarketProfiles

/// The Simplified API: one call, with an object that says everything.
///
/// Each event is translated into the calls that it stands for, in the order that they need.
public struct EventTracker: Sendable {
    /// The session that the events go to.
    public let session: MeasurementSession

    /// A tracker for an app.
    public init(appInfo: MetadataValue, options: SessionOptions) {
        session = MeasurementSession(appInfo: appInfo, options: options)
    }

    /// A tracker for a session.
    public init(_ session: MeasurementSession) { self.session = session }

    /// Takes an event: what happened, what is played, where the playhead is, and the newest tag.
    @discardableResult
    public func trackEvent(_ data: MetadataValue) -> CallResult {
        session.call(SessionCall(.trackEvent, [data]))
    }
}
