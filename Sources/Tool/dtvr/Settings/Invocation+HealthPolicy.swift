import StreamHealth
import TextForms

extension Invocation {
    /// The limits that the checks go by: the defaults, and those that the user set.
    var healthPolicy: HealthPolicy {
        var policy = HealthPolicy()
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            // Counts are written without a unit, and seconds may be.
            if let value = self[name: limit.name].flatMap(DurationText.seconds) { policy[limit] = value }
        }
        return policy
    }
}
