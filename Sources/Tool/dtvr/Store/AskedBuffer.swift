import TagStore

/// The buffer for a command: opened by this process, or served by a running monitor.
enum AskedBuffer: Sendable {
    /// A buffer that this process has opened.
    case own(TagBuffer)
    /// A buffer that a monitor serves.
    case served(ServedBuffer)

    /// The failure of a buffer request.
    struct Failure: Error, CustomStringConvertible {
        /// The reason as one line of text.
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The number of rows per page.
    private static let pageCount = 500

    /// Returns the next rows after a sequence number, oldest first; empty at the end.
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

    /// Moves all dead letters back to the waiting tags, and returns their number.
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

    /// Returns the status of the buffer.
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

    /// Closes a buffer that this process has opened.
    func close() async { if case .own(let buffer) = self { await buffer.close() } }
}
