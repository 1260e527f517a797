import TagStore

/// Tells of dead letters for as long as there are any.
struct DeadLetterAlert {
    private let console: Console

    init(_ console: Console) { self.console = console }

    /// Says how many dead letters a buffer has, and returns the status that follows from it.
    func status(of store: TagBuffer) async -> ExitStatus {
        let count: Int64
        do throws(StoreError) {
            count = try await store.status().deadLetterCount
        } catch {
            console.note("\(error)")
            return .store
        }
        if count == 0 { return .done }
        note(count)
        return .delivery
    }

    /// Says that so many tags are dead letters.
    func note(_ count: Int64) {
        let what = count == 1 ? "1 tag was" : "\(count) tags were"
        console.note(
            "\(what) refused for good: 'dtvr store list --dead' shows why, 'dtvr store retry' puts them back")
    }
}
