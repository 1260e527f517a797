import HTTPTransfer

/// The keys of a presentation. Each is asked for once, whether it can be had or not.
actor KeyRing {
    private typealias Answer = Result<[UInt8], InputError>

    /// What is known of a key.
    private enum Entry {
        /// It was asked for.
        case asked(Task<Answer, Never>)
        /// It is known. The task is let go: it holds some kilobytes, and a key stays for hours.
        case answered(Answer)
    }

    private let fetcher: ResourceFetcher
    private var entries: [InputAddress: Entry] = [:]

    /// At most so many keys are kept; of a playlist that names more, some are fetched again.
    private static let maximumKeptKeyCount = 64

    init(fetcher: ResourceFetcher) { self.fetcher = fetcher }

    /// The key at an address, asked for unless it was before.
    func key(at address: InputAddress, policy: AddressPolicy) async throws(InputError) -> [UInt8] {
        let task: Task<Answer, Never>
        switch entries[address] {
        case .answered(let answer): return try answer.get()
        case .asked(let asked): task = asked
        case nil: task = request(address, policy: policy)
        }
        let answer = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        // Unless it had to make room meanwhile.
        if case .asked(task)? = entries[address] { entries[address] = .answered(answer) }
        return try answer.get()
    }

    private func request(_ address: InputAddress, policy: AddressPolicy) -> Task<Answer, Never> {
        if entries.count >= Self.maximumKeptKeyCount { entries.removeAll() }
        let fetcher = fetcher
        let task = Task(executorPreference: fetcher.threads) { () -> Answer in
            do throws(InputError) {
                return .success(try await fetcher.key(at: address, policy: policy))
            } catch {
                return .failure(error)
            }
        }
        entries[address] = .asked(task)
        return task
    }
}
