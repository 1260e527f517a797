import TagStore

/// The buffer that a command asks: one that it has opened, or that of a monitor that runs.
enum AskedBuffer: Sendable {
    /// Opened by this process.
    case own(TagBuffer)
    /// Of a monitor.
    case served(ServedBuffer)

    /// Why there is no answer.
    struct Failure: Error, CustomStringConvertible {
        /// The reason as one line for people.
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// How many rows are asked for at a time.
    private static let pageCount = 500

    /// Rows after a sequence, oldest first; none at the end.
    func page(of rows: BufferRows, after sequence: Int64) async throws(Failure) -> [BufferRow] {
        switch self {
        case .served(let buffer): return try await buffer.page(of: rows, after: sequence)
        case .own(let buffer):
            do throws(StoreError) {
                switch rows {
                case .waiting:
                    return try await buffer.tags(after: sequence, maximumCount: Self.pageCount)
                        .map(BufferRow.init)
                case .deadLetters:
                    return try await buffer.deadLetters(after: sequence, maximumCount: Self.pageCount)
                        .map(BufferRow.init)
                }
            } catch {
                throw Failure("\(error)")
            }
        }
    }

    /// Puts all dead letters back among the tags that wait, and says how many they were.
    func retryDeadLetters() async throws(Failure) -> Int64 {
        switch self {
        case .served(let buffer): return try await buffer.retryDeadLetters()
        case .own(let buffer):
            do throws(StoreError) {
                return try await buffer.retryDeadLetters()
            } catch {
                throw Failure("\(error)")
            }
        }
    }

    /// The buffer at a glance.
    func status() async throws(Failure) -> StoreStatus {
        switch self {
        case .served(let buffer): return try await buffer.status()
        case .own(let buffer):
            do throws(StoreError) {
                return try await buffer.status()
            } catch {
                throw Failure("\(error)")
            }
        }
    }

    /// Lets go of it.
    func close() async { if case .own(let buffer) = self { await buffer.close() } }
}
