/// The destination of a buffer's tags.
struct StoreDestination: Sendable, Hashable {
    let collector: String
    let token: String?
    let interval: Duration
    let authoritiesFile: String?
}
