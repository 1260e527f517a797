import NielsenID3

/// A check that judges each DATA tag of a run against those before it in the run.
protocol RunCheck: HealthCheck, Sendable {
    /// Judges the next sound DATA tag of the run.
    mutating func judge(_ tag: TagOccurrence, policy: HealthPolicy) -> [Judgement]

    /// Forgets what hangs on the stream's clock, where that starts anew.
    mutating func restart()
}

extension RunCheck {
    mutating func restart() {}
}

/// Which of a tag's two content ids.
enum ContentIDRole: String, CaseIterable, Sendable {
    /// Program content.
    case program = "PC"
    /// Final distributor.
    case distributor = "FD"
}

/// Something for each of the two content ids of a tag.
struct PerContentID<Value: Sendable>: Sendable {
    private var program: Value
    private var distributor: Value

    init(repeating value: Value) {
        program = value
        distributor = value
    }

    subscript(role: ContentIDRole) -> Value {
        get { role == .program ? program : distributor }
        set { if role == .program { program = newValue } else { distributor = newValue } }
    }
}
