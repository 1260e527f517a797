import HostSystem
import StreamHealth
import Synchronization
import TextForms

/// The channels that a monitor follows: those of its file, plus the changes made at run time.
///
/// A change is saved before it takes effect, so it survives a restart.
package final class ChannelRegistry: Sendable {
    private let file: AtomicJSONFile<ChannelChanges>?
    private let state: Mutex<State>
    /// Reloads the channel file; nil if there is none.
    private let reread: (@Sendable () throws(ChannelChangeError) -> ChannelFile)?
    /// The error from reading the saved changes; nil if they were read.
    package let problem: String?

    private struct State {
        var listed: ChannelFile
        var changes = ChannelChanges()
        /// Called with the channels after each change, in the order of the changes.
        var apply: @Sendable (_ channels: [ChannelSettings], _ paused: Set<String>) -> Void = { _, _ in }

        /// The channels of the file in file order, then the added ones in the order of their addition.
        var channels: [ChannelSettings] {
            let listed = listed.channels.filter { !changes.removed.contains($0.id) }
            let ids = Set(listed.map(\.id))
            return listed + added.filter { !ids.contains($0.id) }
        }

        /// The added channels, except those that are invalid with the current defaults of the file.
        private var added: [ChannelSettings] {
            changes.added.compactMap { added in
                do throws(ChannelFile.Fault) {
                    return try listed.channel(added)
                } catch {
                    return nil
                }
            }
        }
    }

    /// Creates the list of channels of a monitor.
    ///
    /// - Parameters:
    ///   - listed: The current channel file.
    ///   - path: The file for the changes; nil if they need not survive a restart.
    ///   - reread: Reloads the channel file; nil if there is none.
    package init(
        _ listed: ChannelFile, savedAt path: String?,
        reread: (@Sendable () throws(ChannelChangeError) -> ChannelFile)? = nil
    ) {
        self.reread = reread
        file = path.map { AtomicJSONFile(path: $0) }
        var problem: String?
        var changes: ChannelChanges?
        do throws(AtomicJSONFile<ChannelChanges>.Problem) {
            changes = try file?.read()
        } catch {
            problem = error.reason
        }
        self.problem = problem
        state = Mutex(State(listed: listed, changes: changes ?? ChannelChanges()))
    }

    /// The current channels, including paused ones.
    package var channels: [ChannelSettings] { state.withLock(\.channels) }

    /// Calls `apply` with the channels and the ids of the paused ones, now and after each change.
    package func begin(
        _ apply: @escaping @Sendable (_ channels: [ChannelSettings], _ paused: Set<String>) -> Void
    ) {
        state.withLock { state in
            state.apply = apply
            apply(state.channels, state.changes.paused)
        }
    }

    /// Adds the channel that a JSON object describes, with `id` and the keys of the channel file.
    ///
    /// - Returns: The id of the channel.
    package func add(json: [UInt8]) throws(ChannelChangeError) -> String {
        let added = try ChannelChanges.Added(json: json)
        try change { state throws(ChannelChangeError) in
            if state.channels.contains(where: { $0.id == added.id }) { throw .taken(id: added.id) }
            do throws(ChannelFile.Fault) {
                _ = try state.listed.channel(added)
            } catch {
                throw .invalid(error.message)
            }
            state.changes.removed.remove(added.id)
            state.changes.added.removeAll { $0.id == added.id }
            guard state.changes.hasRoom(for: added) else { throw .full }
            state.changes.added.append(added)
        }
        return added.id
    }

    /// Removes a channel, also an added one that the defaults of the file have made invalid.
    package func remove(_ id: String) throws(ChannelChangeError) {
        try change { state throws(ChannelChangeError) in
            if !state.changes.added.contains(where: { $0.id == id }) { try Self.require(id, in: state) }
            state.changes.added.removeAll { $0.id == id }
            state.changes.paused.remove(id)
            if state.listed.channels.contains(where: { $0.id == id }) { state.changes.removed.insert(id) }
        }
    }

    /// Pauses or resumes a channel.
    package func setPaused(_ id: String, _ isPaused: Bool) throws(ChannelChangeError) {
        try change { state throws(ChannelChangeError) in
            try Self.require(id, in: state)
            if isPaused { state.changes.paused.insert(id) } else { state.changes.paused.remove(id) }
        }
    }

    /// Reloads the channel file; a file with errors is ignored.
    ///
    /// - Returns: The channels after the reload, and the differences.
    package func reload() throws(ChannelChangeError) -> ChannelReload {
        guard let reread else { throw .noFile }
        let listed = try reread()
        return try change { state in
            let before = state.channels
            state.listed = listed
            // Forget removals of channels that the file no longer lists, so it can list them again later.
            state.changes.removed.formIntersection(listed.channels.map(\.id))
            let ids = Set(listed.channels.map(\.id))
            state.changes.added.removeAll { ids.contains($0.id) }
            state.changes.paused.formIntersection(state.channels.map(\.id))
            return ChannelReload(from: before, to: state.channels)
        }
    }

    private static func require(_ id: String, in state: State) throws(ChannelChangeError) {
        guard state.channels.contains(where: { $0.id == id }) else { throw .unknown(id: id) }
    }

    /// Makes a change: saves it, then applies it while the lock is held, so changes apply in order.
    private func change<Result>(
        _ body: (inout State) throws(ChannelChangeError) -> Result
    ) throws(ChannelChangeError) -> Result {
        try state.withLock { state throws(ChannelChangeError) in
            var new = state
            let result = try body(&new)
            if new.changes != state.changes { try save(new.changes) }
            state = new
            state.apply(state.channels, state.changes.paused)
            return result
        }
    }

    private func save(_ changes: ChannelChanges) throws(ChannelChangeError) {
        do throws(AtomicJSONFile<ChannelChanges>.Problem) {
            try file?.write(changes)
        } catch {
            throw .unkept(reason: error.reason)
        }
    }
}

/// The result of reloading the channel file.
package struct ChannelReload: Sendable, Hashable {
    /// The number of channels after it.
    package let count: Int
    /// The ids of the added, changed and removed channels, in order.
    package let added: [String]
    package let changed: [String]
    package let removed: [String]
    /// The maximum number of ids in a list of the description.
    private static let maximumIDCount = 5

    /// Compares the channels before and after a reload.
    init(from before: [ChannelSettings], to after: [ChannelSettings]) {
        let old = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let ids = Set(after.map(\.id))
        count = after.count
        added = after.map(\.id).filter { old[$0] == nil }
        changed = after.filter { settings in old[settings.id].map { $0 != settings } ?? false }.map(\.id)
        removed = before.map(\.id).filter { !ids.contains($0) }
    }
}

extension ChannelReload: CustomStringConvertible {
    /// The differences as text, such as `added one, two; removed three`.
    package var description: String {
        let parts = [("added", added), ("changed", changed), ("removed", removed)].compactMap { word, ids in
            ids.isEmpty ? nil : "\(word) \(Self.list(ids))"
        }
        return parts.isEmpty ? "nothing changed" : parts.joined(separator: "; ")
    }

    private static func list(_ ids: [String]) -> String {
        let more = ids.count - maximumIDCount
        return ids.prefix(maximumIDCount).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
