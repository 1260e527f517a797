import HTTPTransfer

/// The keys of a presentation. Each is asked for once, whether it can be had or not.
actor KeyRing {
    private typealias Answer = Result<[UInt8], InputError>

    private let fetcher: ResourceFetcher
    private var answers: [InputAddress: Task<Answer, Never>] = [:]

    /// At most so many keys are kept; of a playlist that names more, some are fetched again.
    private static let maximumKeptKeyCount = 64

    init(fetcher: ResourceFetcher) { self.fetcher = fetcher }

    /// The key at an address, asked for unless it was before.
    func key(at address: InputAddress, policy: AddressPolicy) async throws(InputError) -> [UInt8] {
        let answer = answers[address] ?? request(address, policy: policy)
        let result = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.cancel()
        }
        return try result.get()
    }

    private func request(_ address: InputAddress, policy: AddressPolicy) -> Task<Answer, Never> {
        if answers.count >= Self.maximumKeptKeyCount { answers.removeAll() }
        let fetcher = fetcher
        let task = Task(executorPreference: fetcher.threads) { () -> Answer in
            do throws(InputError) {
                return .success(try await fetcher.key(at: address, policy: policy))
            } catch {
                return .failure(error)
            }
        }
        answers[address] = task
        return task
    }
}
