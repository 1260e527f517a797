import FoundationEssentials
import HLSInput
import HTTPTransfer
import HostSystem
import ID3v2
import StreamHealth

/// Opens the inputs of a command, and prints errors to standard error.
struct InputAccess {
    /// The description of the operands of a command that reads inputs.
    static let description = """
        INPUT is a path or an http(s) address of a media segment or of a media or multivariant playlist, a \
        directory, or - for standard input. For a live playlist, the current window is read once. The type of a \
        segment is detected from its content, not from its name.
        """

    /// The paragraph of the manual on the order of segments.
    static let details = """
        In a directory, the multivariant playlist is read, or else the media playlist; several of them are an \
        error. Without a playlist, all segments are read in natural order, seg2 before seg10, or in the order of \
        their timestamps if their names have no order. DASH manifests are \
        not supported: name the directory of the segments instead.
        """

    /// The paragraph of the manual on operands that belong together.
    static let operandDetails = """
        Operands that are segments of one folder are one input, which has the name of the folder; their order \
        does not matter, and a segment that is named twice is read once. A playlist, a directory and standard input \
        are each an input of their own, and so is each line of --inputs. --separate makes each segment one. \
        Segments of several renditions or recordings in one folder are different streams: use --separate, or name \
        their playlists.
        """

    /// The paragraph of the manual on the choice of renditions.
    static let renditionDetails = """
        By default, the variant with the lowest bandwidth of a multivariant playlist is read, with the default audio \
        of its group; --rendition selects others. A tag in several renditions counts once.
        """

    private let context: CommandContext
    private let connection: InputConnection
    private let choice: RenditionChoice
    private let fetcher: ResourceFetcher
    private let keepsOtherTags: Bool
    private let showsSecrets: Bool
    /// Whether each tag of standard input is passed on once it is complete.
    var splitsStreamsAtTags = false

    /// Creates the access for one command.
    ///
    /// - Parameters:
    ///   - compares: Whether renditions are compared; `all` then excludes audio in other languages.
    ///   - choice: The renditions to read; nil selects those that the user named.
    init(
        _ context: CommandContext, through connection: InputConnection, compares: Bool = false,
        choice: RenditionChoice? = nil
    ) throws(UsageError) {
        self.context = context
        self.connection = connection
        fetcher = try Self.makeFetcher(context)
        let choice = choice ?? RenditionChoice(context.invocation[.rendition] ?? "lowest")
        self.choice = compares && choice == .all ? .comparable : choice
        keepsOtherTags = !compares && context.invocation.isOn(.otherOwners)
        showsSecrets = context.invocation.isOn(.showSecrets)
    }

    /// Returns a fetcher with the limits that the user set.
    static func makeFetcher(_ context: CommandContext) throws(UsageError) -> ResourceFetcher {
        let jobs = context.invocation.number(.jobs) ?? ProcessInfo.processInfo.activeProcessorCount
        var limits = InputLimits()
        if let bytes = context.invocation.bytes(.maxSegmentBytes) {
            limits.maximumSegmentByteCount = UInt64(clamping: bytes)
        }
        let client = try context.makeHTTPClient()
        do throws(InputError) {
            return try ResourceFetcher(client: client, limits: limits, jobs: jobs)
        } catch {
            throw context.usageError(error.message)
        }
    }

    /// Returns the segments of an input, or nil after printing the reason.
    func open(_ input: InputOperand) async -> SegmentReadings? {
        do throws(UnreadableInput) {
            return try await readings(of: input)
        } catch {
            return nil
        }
    }

    /// Returns the segments of an input; prints the reason before it throws.
    func readings(of input: InputOperand) async throws(UnreadableInput) -> SegmentReadings {
        let fetcher = connection.fetcher(fetcher, for: input.source)
        let resolver = InputResolver(
            fetcher: fetcher, choice: choice,
            allowsPrivateAddresses: context.invocation.isOn(.allowPrivate))
        do throws(InputError) {
            let presentation = try await resolver.resolve(input)
            let isInNetwork = PrintableAddress.isNetwork(input.source)
            for note in presentation.notes {
                let note = fetcher.secrets.hidden(inMessage: note)
                context.console.note(
                    showsSecrets ? note : PrintableAddress.of(message: note, inNetwork: isInNetwork))
            }
            var readings = presentation.readings(
                through: fetcher, keepsOtherTags: keepsOtherTags,
                policy: context.invocation.healthPolicy.tagPolicy)
            readings.splitsStreamsAtTags = splitsStreamsAtTags
            readings.showsSecrets = showsSecrets
            return readings
        } catch {
            let isInNetwork = PrintableAddress.isNetwork(input.source)
            let printable = showsSecrets ? error : error.printable(inNetwork: isInNetwork)
            let message = fetcher.secrets.hidden(inMessage: printable.message)
            if !Task.isCancelled { context.console.note(message) }
            throw UnreadableInput(reason: message)
        }
    }
}

/// An unreadable input, with the reason that was printed.
struct UnreadableInput: Error {
    let reason: String
}
