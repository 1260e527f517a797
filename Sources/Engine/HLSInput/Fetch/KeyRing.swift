import HTTPTransfer
import LibAVDemux
import SegmentDemux

/// The keys of a presentation.
///
/// Each key is requested once, and a failure is cached like a key.
actor KeyRing {
    private typealias Answer = Result<[UInt8], InputError>

    /// The state of a key.
    private enum Entry {
        /// The request is in progress.
        case asked(Task<Answer, Never>)
        /// The request has finished; its task is dropped, because it uses some kilobytes and a key stays for hours.
        case answered(Answer)
    }

    private let fetcher: ResourceFetcher
    private var entries: [InputAddress: Entry] = [:]

    /// The maximum number of cached keys; when it is reached, the cache is cleared and keys are fetched again.
    private static let maximumKeptKeyCount = 64

    init(fetcher: ResourceFetcher) { self.fetcher = fetcher }

    /// Returns the key at an address, requesting it unless it is cached.
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
        // The entry may have been evicted meanwhile.
        if case .asked(task)? = entries[address] { entries[address] = .answered(answer) }
        return try answer.get()
    }

    /// Forgets the answer for a key, so that it is requested again.
    ///
    /// - Returns: Whether the answer was a key.
    @discardableResult
    func forget(_ address: InputAddress) -> Bool {
        guard case .answered(let answer) = entries[address] else { return true }
        entries[address] = nil
        return switch answer {
        case .success(let key): key.count == SegmentDecryptor.keyByteCount
        case .failure: false
        }
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
