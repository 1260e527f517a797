/// How a batch is made: what the schedule says about it before its tags are read.
struct BatchPlan: Sendable, Hashable {
    /// How many tags, at most.
    var count: Int
    /// Which try it is, from 1.
    var attempt: Int
    /// How it is to be compressed.
    var encoding: ContentEncoding
}
