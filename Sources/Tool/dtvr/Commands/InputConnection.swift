import FoundationEssentials
import HLSInput
import HTTPTransfer
import HostSystem
import StreamMonitor
import TextForms

/// The header fields, client certificate and proxy for the inputs of a command, declared as in a channel file.
///
/// Header fields and the certificate are only for the hosts of the inputs that the user named, or for those of the
/// channel.
struct InputConnection {
    /// The paragraph of the manual on protected inputs.
    static let details = """
        --header, --client-cert and --proxy have the meaning of header, client-cert and proxy in a channel file. \
        Header fields and the certificate are sent only to the host of each INPUT and of --against, never to others \
        that a playlist names, and their values are never printed. ${NAME} in a value stands for an environment \
        variable, so that a token need not be in the list of processes. --channels FILE --channel ID uses the \
        connection of a channel instead; without an INPUT, the address of the channel is read. Its limits and \
        renditions are not used.
        """

    /// The settings of a connection.
    static let settings: [Setting] = [.header, .clientCertificate, .proxy, .channelFile, .channel]

    /// The address of the channel; nil without `--channel`.
    let address: String?
    private let channel: ChannelSettings
    private let console: Console

    /// Reads the settings of a connection.
    init(_ context: CommandContext) throws(UsageError) {
        console = context.console
        if let id = context.invocation[.channel] {
            try context.refuse([.header, .clientCertificate, .proxy], "cannot be combined with --channel")
            channel = try Self.channel(id, context)
            address = channel.url
        } else {
            try context.refuse([.channelFile], "requires --channel")
            channel = try Self.flags(context)
            address = nil
        }
    }

    /// Returns the channel with an id.
    private static func channel(_ id: String, _ context: CommandContext) throws(UsageError) -> ChannelSettings
    {
        guard let path = context.invocation[.channelFile] else {
            throw context.usageError("--channel requires --channels")
        }
        let text = try context.text(.channelFile, in: path)
        let file: ChannelFile
        do throws(ChannelFile.Fault) {
            file = try ChannelFile(parsing: text, environment: context.environment)
        } catch {
            throw context.usageError("\(path):\(error.line): \(error.message)")
        }
        guard let channel = file.channels.first(where: { $0.id == id }) else {
            throw context.usageError(
                "\(path) has no channel '\(id)'"
                    + Suggestion.text(for: id, among: file.channels.map(\.id)))
        }
        return channel
    }

    /// Returns the settings of the flags, which the parser of channel files reads.
    private static func flags(_ context: CommandContext) throws(UsageError) -> ChannelSettings {
        var section = ["[channel input]", "url = http://input.invalid/"]
        var flags: [String] = ["", ""]
        for setting in [Setting.header, .clientCertificate, .proxy] {
            for value in context.invocation[setting]?.split(separator: "\n") ?? [] {
                // A channel file would read another line, or a comment.
                if value.contains(where: \.isNewline) || value.contains(" #") {
                    throw context.usageError("\(setting.flag) must not contain a line end or ' #'")
                }
                section.append("\(setting.name) = \(value)")
                flags.append(setting.flag)
            }
        }
        do throws(ChannelFile.Fault) {
            let file = try ChannelFile(
                parsing: section.joined(separator: "\n"), environment: context.environment)
            return file.channels.first ?? ChannelSettings(id: "input", url: "")
        } catch {
            let flag = flags.indices.contains(error.line - 1) ? flags[error.line - 1] : ""
            let isNamed = flag.dropFirst(2).isEmpty || error.message.hasPrefix(flag.dropFirst(2))
            throw context.usageError(isNamed ? "--\(error.message)" : "\(flag): \(error.message)")
        }
    }

    /// Returns a fetcher for an input, with the credentials if they are for its host.
    func fetcher(_ fetcher: ResourceFetcher, for source: String) -> ResourceFetcher {
        var headers = HTTPHeaders()
        for header in channel.headers { headers.append(header.name, header.value) }
        var fetcher = fetcher
        let isOwn =
            address == nil
            || [channel.url, channel.backup].contains { url in
                url.map { HTTPOrigin.areSame($0, source) } ?? false
            }
        if !isOwn, !headers.fields.isEmpty || channel.connection.clientCertificateFile != nil {
            console.note(
                "the header fields and the certificate of the channel '\(channel.id)' are not for the host of "
                    + "\(PrintableAddress.of(source))")
        }
        fetcher.use(channel.connection, headers: headers, for: isOwn ? source : nil)
        return fetcher
    }
}

extension Setting {
    static let header = Setting(
        "header", .text("NAME:VALUE"),
        help:
            "send a header field to the host of each INPUT; ${VARIABLE} is replaced; may be given several times"
    )
    .adapted { $0.isRepeatable = true }
    static let clientCertificate = Setting(
        "client-cert", .path("FILE"),
        help: "present the certificate in FILE (PEM, with its key) to the host of each INPUT")
    static let proxy = Setting(
        "proxy", .text("URL"), help: "read inputs through an http proxy, instead of that of the environment")
    /// The form of `--channels` that names the file of `--channel`.
    static let channelFile = channels.adapted { $0.help = "the channel file with the channel of --channel" }
    static let channel = Setting(
        "channel", .text("ID"),
        help: "use the header fields, certificate and proxy of a channel; without an INPUT, read its address")
}
