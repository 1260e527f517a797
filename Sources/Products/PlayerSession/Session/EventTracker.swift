public import MarketProfiles

/// The Simplified API: a single call, whose argument describes everything.
///
/// Each event is translated into the equivalent session calls, in the required order.
public struct EventTracker: Sendable {
    /// The session that receives the events.
    public let session: MeasurementSession

    /// Creates a tracker with a session for an app.
    public init(appInfo: MetadataValue, options: SessionOptions) {
        session = MeasurementSession(appInfo: appInfo, options: options)
    }

    /// Creates a tracker for an existing session.
    public init(_ session: MeasurementSession) { self.session = session }

    /// Reports an event: its kind, the asset, the playhead, and the newest tag.
    @discardableResult
    public func trackEvent(_ data: MetadataValue) -> CallResult {
        session.call(SessionCall(.trackEvent, [data]))
    }
}
