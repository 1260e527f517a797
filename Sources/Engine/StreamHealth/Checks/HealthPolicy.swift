public import NielsenID3

/// The limits that apply to a stream: the defaults, except those that are set.
public struct HealthPolicy: Sendable, Hashable {
    private var values: [HealthLimit: Double] = [:]

    /// Creates a policy with the default limits.
    public init() {}

    /// The value of a limit in its unit; a value that is set must be finite and not negative.
    public subscript(limit: HealthLimit) -> Double {
        get { values[limit] ?? limit.defaultValue }
        set {
            precondition(newValue.isFinite && newValue >= 0, "a limit must be finite and not negative")
            values[limit] = newValue
        }
    }

    /// The policy for single tags with the same limits.
    public var tagPolicy: TagPolicy {
        var policy = TagPolicy()
        policy.longestTag = self[.longestTag]
        policy.shortestTag = self[.shortestTag]
        return policy
    }

    /// Whether a limit is set explicitly.
    package func isSet(_ limit: HealthLimit) -> Bool { values[limit] != nil }

    /// Returns a limit as a whole number.
    package func count(_ limit: HealthLimit) -> Int { Int(exactly: self[limit].rounded()) ?? Int.max }
}
