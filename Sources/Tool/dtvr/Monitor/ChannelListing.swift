import Dispatch
import FoundationEssentials
import StreamMonitor
import TextForms

/// The channels that the user named, on the command line or in a channel file.
struct ChannelListing {
    private let context: CommandContext
    /// The path of the channel file, or nil if the channels are on the command line.
    private let path: String?
    private let listed: ChannelFile
    private let shard: Shard?

    /// Reads and validates the channels.
    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        path = context.invocation[.channels]
        if path == nil {
            try context.requireOperands("channel")
        } else {
            try context.refuseOperands()
        }
        shard = try context.shard()
        listed = try Self.channels(context, path: path).reduced(to: shard)
        if let shard, listed.channels.isEmpty { context.console.note("no channel belongs to shard \(shard)") }
    }

    /// The channels.
    var channels: [ChannelSettings] { listed.channels }

    /// Whether the channels are those of a shard, which may be empty.
    var isShard: Bool { shard != nil }

    /// The number of channels, as text.
    var countText: String { DecimalText.count(listed.channels.count, "channel") }

    private static func channels(_ context: CommandContext, path: String?) throws(UsageError) -> ChannelFile {
        guard let path else {
            for url in context.operands where !ChannelFile.isAddress(url) {
                throw context.usageError("a live channel needs an http or https address, not '\(url)'")
            }
            let model = model(context)
            return ChannelFile(
                channels: ChannelSettings.channels(at: context.operands, like: model), defaults: model)
        }
        do throws(ChannelChangeError) {
            return try read(path, context)
        } catch {
            throw context.usageError("\(error)")
        }
    }

    /// Returns all faults of the channel file, as lines; empty without a file.
    static func faults(_ context: CommandContext) throws(ChannelChangeError) -> [String] {
        guard let path = context.invocation[.channels] else { return [] }
        return ChannelFile.faults(
            in: try text(of: path), defaults: model(context), environment: context.environment
        ).map { "\(path):\($0.line): \($0.message)" }
    }

    private static func text(of path: String) throws(ChannelChangeError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .invalid(
                "cannot read the channel file '\(path)'\(CommandContext.readFailure(of: path))")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw .invalid("the channel file '\(path)' is not UTF-8")
        }
        return text
    }

    private static func read(
        _ path: String, _ context: CommandContext
    ) throws(ChannelChangeError) -> ChannelFile {
        let text = try text(of: path)
        do throws(ChannelFile.Fault) {
            return try ChannelFile(
                parsing: text, defaults: model(context), environment: context.environment)
        } catch {
            throw .invalid("\(path):\(error.line): \(error.message)")
        }
    }

    /// Returns the default settings of a channel.
    private static func model(_ context: CommandContext) -> ChannelSettings {
        var model = ChannelSettings(id: "", url: "", policy: context.invocation.healthPolicy)
        if let rendition = context.invocation[.rendition] { model.rendition = FollowedRendition(rendition) }
        return model
    }

    /// Returns the channels to follow: the listed ones, with the changes that clients make at run time.
    ///
    /// Saved changes apply only to a channel file, not to channels on the command line.
    func registry(in folder: String) -> ChannelRegistry {
        guard let path else { return ChannelRegistry(listed, savedAt: nil) }
        let savedPath = "\(folder)/channels.json"
        let registry = ChannelRegistry(listed, savedAt: savedPath) {
            [context, shard] () throws(ChannelChangeError) in
            let file = try Self.read(path, context)
            // An empty list probably means that the file is being written, not that every channel should end.
            if file.channels.isEmpty { throw .invalid("the channel file '\(path)' contains no channel") }
            return file.reduced(to: shard)
        }
        if let problem = registry.problem {
            context.console.note("\(savedPath): the saved channel changes cannot be read: \(problem)")
        }
        return registry
    }

    /// Reloads the channel file, if there is one, on SIGHUP; a file with errors changes nothing.
    ///
    /// A SIGHUP from a closed terminal ends the monitor instead, and so does one without a file to read again.
    ///
    /// - Parameter onReload: Called for each SIGHUP after the file was read.
    func reloads(
        _ registry: ChannelRegistry, onReload: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceSignal)? {
        guard path != nil || context.invocation[.tokenFile] != nil else { return nil }
        return ReloadSignal.receive {
            if let path { reload(registry, from: path) }
            onReload()
        }
    }

    private func reload(_ registry: ChannelRegistry, from path: String) {
        do throws(ChannelChangeError) {
            let reload = try registry.reload()
            context.console.note(
                "\(path): reloaded, \(DecimalText.count(reload.count, "channel")): \(reload)")
        } catch {
            context.console.note("\(error); the channels are unchanged")
        }
    }

}

extension ChannelFile {
    /// Returns the file with the channels of a shard only; nil stands for all.
    fileprivate func reduced(to shard: Shard?) -> ChannelFile {
        guard let shard else { return self }
        var file = self
        file.removeChannels { !shard.contains($0) }
        return file
    }
}
