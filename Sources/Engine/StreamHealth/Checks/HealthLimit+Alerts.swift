extension HealthLimit {
    /// Within which time a second finding raises an alert.
    package static let alertRepeat = HealthLimit(
        "limit-alert-repeat", 60, "s",
        "alerts: a second finding of a check within this time raises one")

    /// How long an alert stays open without a finding.
    package static let alertClear = HealthLimit(
        "limit-alert-clear", 10, "s",
        "alerts: one is cleared after this long without a finding")

    /// How many tags must come before an alert is cleared.
    package static let alertClearTags = HealthLimit(
        "limit-alert-clear-tags", 2, "tags",
        "alerts: one is cleared after this many DATA tags without a finding, if that takes longer")

    /// The limits that no check goes by, but alerts do.
    static let ofAlerts = [alertRepeat, alertClear, alertClearTags]
}
