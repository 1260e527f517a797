/// Where the tags of a buffer are sent to.
struct StoreDestination: Sendable, Hashable {
    let collector: String
    let token: String?
    let interval: Duration
    let authoritiesFile: String?
}
