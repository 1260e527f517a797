import StreamHealth
import TextForms

extension Invocation {
    /// The limits of the checks: the defaults, overridden by the user's settings.
    var healthPolicy: HealthPolicy {
        var policy = HealthPolicy()
        for limit in HealthLimit.all + HealthLimit.ofMonitorOnly {
            // Counts have no unit and seconds may omit it, so one parser handles both.
            if let value = self[name: limit.name].flatMap(DurationText.seconds) { policy[limit] = value }
        }
        return policy
    }
}
