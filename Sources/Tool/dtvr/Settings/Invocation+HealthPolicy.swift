import StreamHealth

extension Invocation {
    /// The limits that the checks judge by: the defaults, and those that the user set.
    var healthPolicy: HealthPolicy {
        var policy = HealthPolicy()
        for limit in HealthLimit.allCases {
            guard let name = SettingName(rawValue: limit.rawValue) else { continue }
            // Counts are written without a unit, and seconds may be.
            if let value = seconds(name) { policy[limit] = value }
        }
        return policy
    }
}
