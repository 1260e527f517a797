package import HostSystem
package import TagStore

/// A buffer that this process has opened, or that another process owns and serves.
package enum BufferAccess: Sendable {
    /// A buffer that this process has opened.
    case own(TagBuffer)
    /// A buffer that another process owns.
    case remote(RemoteBuffer)

    /// Opens the buffer in a folder, or connects to the process that serves it.
    ///
    /// - Parameters:
    ///   - earlier: An access that has failed, which is returned if its owner still exists and responds again.
    ///   - open: Opens the buffer.
    ///   - users: The users who may own the process that serves the buffer, and its socket.
    /// - Throws: `inUse` if another process holds the buffer and does not serve it, or does not respond; `untrusted` if
    ///   it belongs to another user.
    package static func open(
        in directory: String, after earlier: RemoteBuffer? = nil, trusting users: TrustedUsers = .own,
        opening open: () async throws(StoreError) -> TagBuffer
    ) async throws(StoreError) -> BufferAccess {
        do throws(StoreError) {
            return .own(try await open())
        } catch {
            guard case .inUse = error else { throw error }
            let remote: RemoteBuffer?
            if let earlier, earlier.hasSameOwner {
                remote = earlier
            } else {
                remote = try RemoteBuffer(in: directory, trusting: users)
            }
            guard let remote, try await remote.responds() else { throw error }
            return .remote(remote)
        }
    }

    /// The buffer that this process has opened; nil if another process owns it.
    package var owned: TagBuffer? {
        if case .own(let buffer) = self { buffer } else { nil }
    }

    /// The identity of this access; a buffer that is opened again has another one.
    package var id: ObjectIdentifier {
        switch self {
        case .own(let buffer): ObjectIdentifier(buffer)
        case .remote(let buffer): ObjectIdentifier(buffer)
        }
    }

    /// The number of tags ever offered, by what became of them, at the last answer of the owner.
    package var totals: StoreTotals {
        switch self {
        case .own(let buffer): buffer.totals()
        case .remote(let buffer): buffer.totals
        }
    }

    /// Appends tags, split into several transactions if they are too large for one.
    func appendInPieces(
        _ tags: [NewTag], of owner: TagOwner = .nobody, bookmark: Bookmark? = nil, isHeld: Bool = false
    ) async throws(StoreError) -> [AppendedPiece] {
        switch self {
        case .own(let buffer):
            try await buffer.appendInPieces(tags, of: owner, bookmark: bookmark, isHeld: isHeld)
        case .remote(let buffer):
            try await buffer.appendInPieces(tags, of: owner, bookmark: bookmark, isHeld: isHeld)
        }
    }

    /// Counts tags that were never offered as refused; the owner of a remote buffer counts only its own.
    package func countRefused(_ count: Int) {
        if case .own(let buffer) = self { buffer.countRefused(count) }
    }

    /// Makes held tags available for delivery, some of them with a new body.
    package func release(_ tags: [ReleasedTag]) async throws(StoreError) {
        switch self {
        case .own(let buffer): try await buffer.release(tags)
        case .remote(let buffer): try await buffer.release(tags)
        }
    }

    /// Admits all quarantined tags to delivery, or deletes them, and returns their number.
    package func admit(deleting isDeleting: Bool) async throws(StoreError) -> Int64 {
        switch self {
        case .own(let buffer): try await buffer.admit(deleting: isDeleting)
        case .remote(let buffer): try await buffer.admit(deleting: isDeleting)
        }
    }

    /// Writes the tags that are in memory only; returns whether none remain there.
    package func flush() async throws(StoreError) -> Bool {
        switch self {
        case .own(let buffer): try await buffer.flush()
        case .remote(let buffer): try await buffer.flush()
        }
    }

    /// Returns the next rows after a sequence number, oldest first; empty at the end.
    package func page(of rows: BufferRows, after sequence: Int64) async throws(StoreError) -> [BufferRow] {
        switch self {
        case .own(let buffer): try await buffer.page(of: rows, after: sequence)
        case .remote(let buffer): try await buffer.page(of: rows, after: sequence)
        }
    }

    /// Moves all dead letters back to the waiting tags, and returns their number.
    package func retryDeadLetters() async throws(StoreError) -> Int64 {
        switch self {
        case .own(let buffer): try await buffer.retryDeadLetters()
        case .remote(let buffer): try await buffer.retryDeadLetters()
        }
    }

    /// Removes the rows older than an age, and returns their number.
    package func prune(_ rows: BufferRows, olderThan age: Duration) async throws(StoreError) -> Int64 {
        switch self {
        case .own(let buffer): try await buffer.prune(rows, olderThan: age)
        case .remote(let buffer): try await buffer.prune(rows, olderThan: age)
        }
    }

    /// Reads and verifies every row; changes nothing.
    package func verify() async throws(StoreError) -> StoreVerification {
        switch self {
        case .own(let buffer): try await buffer.verify()
        case .remote(let buffer): try await buffer.verify()
        }
    }

    /// Closes a buffer that this process has opened, or ends the connection to its owner.
    package func close() async {
        switch self {
        case .own(let buffer): await buffer.close()
        case .remote(let buffer): buffer.close()
        }
    }
}
