import StreamHealth
import TextForms

extension Setting {
    /// All limits of the checks, those of the monitor last.
    static let limits = (HealthLimit.all + HealthLimit.ofMonitorOnly).map(Setting.init)
    /// The limits that a single tag can violate.
    static let limitsOfTags = limits { $0.isOfSingleTags }
    /// The limits that apply to recorded input, without the length of a report.
    static let limitsOfRecordings = limits { !$0.isOfLiveInputOnly && $0 != .findings }
    /// The limits that a report on recorded input uses.
    static let limitsOfReports = limits { !$0.isOfLiveInputOnly }
    /// The limits that apply to live channels.
    static let limitsOfChannels = limits { $0 != .findings }

    private static func limits(where isUsed: (HealthLimit) -> Bool) -> [Setting] {
        (HealthLimit.all + HealthLimit.ofMonitorOnly).filter(isUsed).map(Setting.init)
    }

    /// Creates the setting of a limit.
    init(_ limit: HealthLimit) {
        let value = Int(exactly: limit.defaultValue).map { "\($0)" } ?? "\(limit.defaultValue)"
        let isTime = limit.unit == "s"
        self.init(
            limit.name,
            isTime
                ? .duration(0...1_000_000)
                : limit.takesDecimals ? .decimal(0...1_000_000) : .number(0...1_000_000),
            default: isTime ? "\(value)s" : value, help: limit.help, isLimit: true)
    }
}

extension Invocation {
    /// The limits of the checks: the defaults, overridden by the user's settings.
    var healthPolicy: HealthPolicy {
        var policy = HealthPolicy()
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            // Counts have no unit and seconds may omit it, so one parser handles both.
            if let value = self[Setting(limit)].flatMap(DurationText.seconds) { policy[limit] = value }
        }
        return policy
    }
}
