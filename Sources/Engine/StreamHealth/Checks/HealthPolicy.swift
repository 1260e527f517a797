/// The limits that a stream is checked by: the defaults, unless set.
public struct HealthPolicy: Sendable, Hashable {
    private var values: [HealthLimit: Double] = [:]

    /// The default limits.
    public init() {}

    /// A limit, in its own unit; set values must be finite and not negative.
    public subscript(limit: HealthLimit) -> Double {
        get { values[limit] ?? limit.defaultValue }
        set {
            precondition(newValue.isFinite && newValue >= 0, "a limit is finite and not negative")
            values[limit] = newValue
        }
    }

    /// Whether a limit is set, and not the default.
    package func isSet(_ limit: HealthLimit) -> Bool { values[limit] != nil }

    /// A limit that counts whole things.
    package func count(_ limit: HealthLimit) -> Int { Int(exactly: self[limit].rounded()) ?? Int.max }
}
