import HLSInput
import HTTPTransfer
import TimedMedia

/// Opens the inputs of a command, and says on standard error what is wrong with them.
struct InputAccess {
    private let context: CommandContext
    private let resolver: InputResolver
    private let fetcher: ResourceFetcher
    private let keepsOtherTags: Bool
    private let observes: Bool
    private let jobs: Int

    /// Access for one command, which reads so many segments at once.
    ///
    /// - Parameters:
    ///   - observes: whether what is read is for the checks, which have no use for audio in other languages.
    ///   - choice: which renditions are read; those that the user names unless it is given.
    init(
        _ context: CommandContext, observes: Bool = false, choice: RenditionChoice? = nil, jobs: Int = 1
    ) throws(UsageError) {
        self.context = context
        self.observes = observes
        fetcher = ResourceFetcher(client: try context.makeHTTPClient())
        let choice = choice ?? RenditionChoice(context.invocation[.rendition] ?? "lowest")
        resolver = InputResolver(
            fetcher: fetcher, choice: observes && choice == .all ? .comparable : choice,
            allowsPrivateAddresses: context.invocation.isOn(.allowPrivate))
        keepsOtherTags = context.invocation.isOn(.all)
        self.jobs = jobs
    }

    /// A reader of an input; nil where there is nothing to read, which has been said then.
    func open(_ source: String) async -> ProgrammeReader? {
        do throws(InputError) {
            let programme = try await resolver.resolve(source)
            for note in programme.notes { context.console.note(note) }
            return ProgrammeReader(
                programme, fetcher: fetcher, keepsOtherTags: keepsOtherTags, observes: observes, jobs: jobs)
        } catch {
            context.console.note(error.message)
            return nil
        }
    }

    /// Says what could not be read of a segment.
    func report(_ reading: SegmentReading) {
        switch reading.outcome {
        case .failed(let error): context.console.note(error.message)
        case .playlist: break
        case .gap: context.console.note("\(reading.name): is a gap, as its playlist says")
        case .read(_, let facts):
            if let malformed = facts.malformed.first.first {
                let others = facts.malformed.count > 1 ? ", and \(facts.malformed.count - 1) more places" : ""
                context.console.note(
                    "\(reading.name): at byte \(malformed.offset): \(malformed.rule)\(others)")
            }
        }
    }
}
