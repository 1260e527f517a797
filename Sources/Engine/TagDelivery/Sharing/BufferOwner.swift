import FoundationEssentials
import Synchronization
package import TagStore

/// The owner's side of a shared buffer: performs the requests of other processes.
///
/// Tags that a client holds are released when its holding connection ends, so that the tags of a killed process are
/// delivered.
package final class BufferOwner: Sendable {
    private let buffer: TagBuffer
    private let clients = Mutex<[String: Client]>([:])

    /// A client with at least one holding connection.
    private struct Client: Sendable {
        var connectionCount = 0
        /// The sequences of its held tags.
        var held: Set<Int64> = []
    }

    /// The answer to a request.
    package enum Answer: Sendable {
        /// The JSON of the requested value.
        case value([UInt8])
        /// The request is invalid, or the client has no holding connection.
        case invalid(reason: String)
        /// The buffer cannot perform the request now.
        case failed(reason: String)
    }

    /// Creates the owner's side of a buffer that this process has opened.
    package init(_ buffer: TagBuffer) { self.buffer = buffer }

    // MARK: Holding

    /// Begins a holding connection of a client.
    package func beginHolding(for client: String) {
        clients.withLock { $0[client, default: Client()].connectionCount += 1 }
    }

    /// Ends a holding connection; after the last one of a client, releases its held tags.
    package func endHolding(for client: String) {
        let held = clients.withLock { clients -> Set<Int64> in
            clients[client]?.connectionCount -= 1
            guard clients[client]?.connectionCount == 0 else { return [] }
            return clients.removeValue(forKey: client)?.held ?? []
        }
        guard !held.isEmpty else { return }
        Task { [buffer] in
            do throws(StoreError) {
                try await buffer.release(held.map { ReleasedTag(sequence: $0) })
            } catch {
                // The buffer is closed; the next owner delivers the tags.
            }
        }
    }

    private func isHolding(_ client: String) -> Bool { clients.withLock { $0[client] != nil } }

    /// The maximum number of sequences that a client holds: those of ten sessions.
    ///
    /// Tags that were evicted or have expired count until the client releases them.
    package static let maximumHeldCount = 10_000

    /// Records tags that a client holds; returns false if its connection has ended, or it holds too many.
    private func hold(_ sequences: [Int64], for client: String) -> Bool {
        clients.withLock { clients in
            guard let count = clients[client]?.held.count, count + sequences.count <= Self.maximumHeldCount
            else { return false }
            clients[client]?.held.formUnion(sequences)
            return true
        }
    }

    // MARK: Requests

    /// Performs a request, whatever its bytes are.
    package func answer(_ bytes: [UInt8]) async -> Answer {
        guard let (request, bodies) = BufferRequest.decode(bytes) else {
            return .invalid(reason: "the request has a different version")
        }
        do throws(StoreError) {
            return try await answer(request, bodies)
        } catch {
            return .failed(reason: error.description)
        }
    }

    private func answer(
        _ request: BufferRequest, _ bodies: ArraySlice<UInt8>
    ) async throws(StoreError) -> Answer {
        switch request {
        case .append(let append): return try await self.append(append, bodies)
        case .release(let tags): return try await release(tags, bodies)
        case .admit(let isDeleting): return change(try await buffer.admit(deleting: isDeleting))
        case .flush: return change(try await buffer.flush())
        case .status: return value(try await buffer.status())
        case .page(let rows, let sequence): return value(try await buffer.page(of: rows, after: sequence))
        case .retryDeadLetters: return change(try await buffer.retryDeadLetters())
        case .prune(.waiting, let age):
            return change(try await buffer.prune(olderThan: .milliseconds(age)))
        case .prune(.deadLetters, let age):
            return change(try await buffer.pruneDeadLetters(olderThan: .milliseconds(age)))
        case .verify: return value(try await buffer.verify())
        }
    }

    private func append(
        _ append: BufferRequest.Append, _ bytes: ArraySlice<UInt8>
    ) async throws(StoreError) -> Answer {
        guard let bodies = BufferRequest.split(bytes, by: append.tags.map(\.byteCount)) else {
            return .invalid(reason: "the bodies do not have the given sizes")
        }
        var tags: [NewTag] = []
        for (tag, body) in zip(append.tags, bodies) {
            guard let id = TagID(text: tag.id) else {
                return .invalid(reason: "'\(tag.id)' is an invalid tag id")
            }
            tags.append(NewTag(id: id, body: body, owner: tag.owner))
        }
        if let holder = append.holder, !isHolding(holder) {
            return .invalid(reason: "the client has no holding connection")
        }
        let pieces = try await buffer.appendInPieces(
            tags, of: append.owner, bookmark: append.bookmark, isHeld: append.holder != nil)
        if let holder = append.holder {
            let sequences = pieces.flatMap { piece in piece.outcome?.sequences.map(Array.init) ?? [] }
            if !hold(sequences, for: holder) {
                try await buffer.release(sequences.map { ReleasedTag(sequence: $0) })
            }
        }
        return change(pieces)
    }

    private func release(
        _ tags: [BufferRequest.Release], _ bytes: ArraySlice<UInt8>
    ) async throws(StoreError) -> Answer {
        guard var bodies = BufferRequest.split(bytes, by: tags.compactMap(\.byteCount)) else {
            return .invalid(reason: "the bodies do not have the given sizes")
        }
        bodies.reverse()
        let released = tags.map {
            ReleasedTag(sequence: $0.sequence, body: $0.byteCount == nil ? nil : bodies.popLast())
        }
        // A tag that an earlier owner held is released already, and may be in flight: its body must not change.
        let held = clients.withLock { clients in
            clients.values.reduce(into: Set<Int64>()) { $0.formUnion($1.held) }
        }
        try await buffer.release(released.filter { held.contains($0.sequence) })
        clients.withLock { clients in
            for client in clients.keys { clients[client]?.held.subtract(tags.map(\.sequence)) }
        }
        return change(true)
    }

    private func change(_ value: some Codable & Sendable) -> Answer {
        self.value(BufferChange(value: value, totals: buffer.totals()))
    }

    private func value(_ value: some Encodable) -> Answer {
        do {
            return .value([UInt8](try JSONEncoder().encode(value)))
        } catch {
            return .failed(reason: "the answer cannot be encoded: \(error)")
        }
    }
}
