import StreamHealth
import Synchronization
import TextForms

/// Which channels a monitor follows: those of its file, and what was changed of them while it ran.
///
/// A change is on the disk before it is made, so that a restart knows of it.
package final class ChannelRoster: Sendable {
    private let file: KeptFile<ChannelChanges>?
    private let state: Mutex<State>
    /// Reads the channel file again; nil where there is none.
    private let reread: (@Sendable () throws(ChannelChangeError) -> ChannelFile)?
    /// Why what was changed before could not be read; nil where it could.
    package let problem: String?

    private struct State {
        var listed: ChannelFile
        var changes = ChannelChanges()
        /// Told of the channels after each change, in the order of the changes.
        var apply: @Sendable (_ channels: [ChannelSettings], _ paused: Set<String>) -> Void = { _, _ in }

        /// The channels, in the order of the file and then of their addition.
        var channels: [ChannelSettings] {
            let listed = listed.channels.filter { !changes.removed.contains($0.id) }
            let ids = Set(listed.map(\.id))
            return listed + added.filter { !ids.contains($0.id) }
        }

        /// The channels that were added; one that the defaults of the file do not allow any more is left out.
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

    /// The channels of a monitor.
    ///
    /// - Parameters:
    ///   - listed: the channel file as it is now.
    ///   - path: the file that keeps what is changed; nil where nothing is kept over a restart.
    ///   - reread: reads the channel file again; nil where there is none.
    package init(
        _ listed: ChannelFile, keptAt path: String?,
        reread: (@Sendable () throws(ChannelChangeError) -> ChannelFile)? = nil
    ) {
        self.reread = reread
        file = path.map { KeptFile(path: $0) }
        var problem: String?
        var changes: ChannelChanges?
        do throws(KeptFile<ChannelChanges>.Problem) {
            changes = try file?.read()
        } catch {
            problem = error.reason
        }
        self.problem = problem
        state = Mutex(State(listed: listed, changes: changes ?? ChannelChanges()))
    }

    /// The channels now, the paused ones among them.
    package var channels: [ChannelSettings] { state.withLock(\.channels) }

    /// Has `apply` told of the channels and of those that are paused: now, and after each change.
    package func begin(
        _ apply: @escaping @Sendable (_ channels: [ChannelSettings], _ paused: Set<String>) -> Void
    ) {
        state.withLock { state in
            state.apply = apply
            apply(state.channels, state.changes.paused)
        }
    }

    /// Adds the channel that a JSON object describes, with the keys of the channel file and `id`.
    ///
    /// - Returns: the id of the channel.
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
            state.changes.added.append(added)
        }
        return added.id
    }

    /// Follows a channel no longer.
    package func remove(_ id: String) throws(ChannelChangeError) {
        try change { state throws(ChannelChangeError) in
            try Self.require(id, in: state)
            state.changes.added.removeAll { $0.id == id }
            state.changes.paused.remove(id)
            if state.listed.channels.contains(where: { $0.id == id }) { state.changes.removed.insert(id) }
        }
    }

    /// Pauses a channel, or goes on with it.
    package func setPaused(_ id: String, _ isPaused: Bool) throws(ChannelChangeError) {
        try change { state throws(ChannelChangeError) in
            try Self.require(id, in: state)
            if isPaused { state.changes.paused.insert(id) } else { state.changes.paused.remove(id) }
        }
    }

    /// Reads the channel file again; one with a fault changes nothing.
    ///
    /// - Returns: how many channels there are then.
    package func reload() throws(ChannelChangeError) -> Int {
        guard let reread else { throw .noFile }
        let listed = try reread()
        return try change { state in
            state.listed = listed
            // What the file does not name any more it may name anew.
            state.changes.removed.formIntersection(listed.channels.map(\.id))
            let ids = Set(listed.channels.map(\.id))
            state.changes.added.removeAll { ids.contains($0.id) }
            state.changes.paused.formIntersection(state.channels.map(\.id))
            return state.channels.count
        }
    }

    private static func require(_ id: String, in state: State) throws(ChannelChangeError) {
        guard state.channels.contains(where: { $0.id == id }) else { throw .unknown(id: id) }
    }

    /// Makes a change: none is applied that is not kept, and all are applied in their order.
    private func change<Result>(
        _ body: (inout State) throws(ChannelChangeError) -> Result
    ) throws(ChannelChangeError) -> Result {
        try state.withLock { state throws(ChannelChangeError) in
            var new = state
            let result = try body(&new)
            if new.changes != state.changes { try keep(new.changes) }
            state = new
            state.apply(state.channels, state.changes.paused)
            return result
        }
    }

    private func keep(_ changes: ChannelChanges) throws(ChannelChangeError) {
        do throws(KeptFile<ChannelChanges>.Problem) {
            try file?.write(changes)
        } catch {
            throw .unkept(reason: error.reason)
        }
    }
}
