/// A call, event or property in the tables of the guides, and its effect on a session.
package struct GuideCall: Sendable, Hashable {
    /// The name in the guides.
    package let name: String
    /// The guides and sections that describe it.
    package let places: String
    /// The effect on a session.
    package let treatment: String
    /// The test suite that checks this.
    package let test: String

    private init(_ name: String, _ places: String, _ treatment: String, _ test: String) {
        self.name = name
        self.places = places
        self.treatment = treatment
        self.test = test
    }

    /// All calls, in the order of docs/markets.md.
    package static let all = [
        GuideCall(
            "init, initWithAppInfo, nlsQ", "001, 003: SDK initialization; 002, 5.4; 004; 000",
            "enforced; record `app`", "GuideSampleTests"),
        GuideCall("play", "002, 5.4; 004; 000", "enforced; record `asset`", "GuideSampleTests"),
        GuideCall("loadMetadata", "all", "enforced; record `asset`", "GuideSampleTests"),
        GuideCall(
            "playheadPosition, setPlayheadPosition", "all", "enforced; record `session`", "GuideSampleTests"),
        GuideCall("stop", "all", "enforced; `pauses` in record `session`", "GuideSampleTests"),
        GuideCall("end", "001, 004, 000", "enforced; ends record `session`", "GuideSampleTests"),
        GuideCall("sendID3", "002, 5.4", "enforced; the tag is a record", "GuideSampleTests"),
        GuideCall("trackEvent", "003, Simplified API syntax", "enforced; as its calls", "GuideSampleTests"),
        GuideCall(
            "playhead, pause, complete, adStop", "003, Event types", "enforced", "EventTrackingTests"),
        GuideCall(
            "ggPM", "000, DCR Italy Audio Browser, Events", "enforced; as its calls", "GuideSampleTests"),
        GuideCall(
            "appInBackground, appInForeground", "004 and 000: Handling foreground and background states",
            "another viewing session", "GuideSampleTests"),
        GuideCall(
            "registerLifeCycleObserver", "000, DCR Ireland Video Android, LifeCycleObserver", "accepted",
            "GuideFindingTests"),
        GuideCall("appDisableApi", "001, 002, 004", "enforced", "PlaybackTests"),
        GuideCall(
            "userOptOut", "001 to 004, Privacy and opt-out", "enforced; `opted_out` in records",
            "OptedOutTests"),
        GuideCall(
            "optOutStatus, getOptOutStatus", "001, 003, 004", "answered", "MeasurementSessionTests"),
        GuideCall(
            "optOutURL, optOutURLString, userOptOutURLString", "001, 002", "answered from the configuration",
            "ConfigurationTests"),
        GuideCall(
            "updateOTT, ottData", "003, 004, 000", "enforced; `ott` in record `session`", "DeviceRecordTests"),
        GuideCall(
            "trackViewability", "003, Data collected", "enforced; series in record `session`",
            "DeviceRecordTests"),
        GuideCall("getLastEvent, getLastError", "002, 5.4", "answered", "MeasurementSessionTests"),
        GuideCall(
            "event and error codes", "002, 6", "docs/players.md, Errors and events", "DeliveryStateTests"),
    ]
}
