import NielsenID3

/// The role of one of a tag's two content ids.
enum ContentIDRole: String, CaseIterable, Sendable {
    /// Program content.
    case program = "PC"
    /// Final distributor.
    case distributor = "FD"
}

extension NielsenTag {
    func contentID(_ role: ContentIDRole) -> ContentID? { role == .program ? pcCID : fdCID }

    func offset(_ role: ContentIDRole) -> Int? { role == .program ? pcOffset : fdOffset }
}

/// A value for each of the two content ids of a tag.
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
