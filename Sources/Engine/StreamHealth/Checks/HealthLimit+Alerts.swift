extension HealthLimit {
    /// The time within which a second finding raises an alert.
    package static let alertRepeat = HealthLimit(
        "limit-alert-repeat", 60, "s",
        "alerts: a second finding of a check within this time raises an alert")

    /// The time without a finding after which an alert is cleared.
    package static let alertClear = HealthLimit(
        "limit-alert-clear", 10, "s",
        "alerts: time without a finding after which an alert is cleared")

    /// The number of DATA tags without a finding before an alert is cleared.
    package static let alertClearTags = HealthLimit(
        "limit-alert-clear-tags", 2, "tags",
        "alerts: DATA tags without a finding before an alert is cleared, if that takes longer")

    /// The limits of alerts, which no check uses.
    static let ofAlerts = [alertRepeat, alertClear, alertClearTags]
}
