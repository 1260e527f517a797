import HLSInput
import Synchronization

/// Searches for the rendition that carries a channel's tags while another one is followed.
final class RenditionSearch: Sendable {
    private let state = Mutex(State())

    private struct State {
        var task: Task<Void, Never>?
        var found: LiveRenditionPlace?
    }

    /// Starts a search, unless one is running.
    func begin(in input: LiveInput) {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task {
                do throws(InputError) {
                    self.end(with: try await input.probe().cheapestWithTags)
                } catch {
                    // The runner of the channel reports that the address fails.
                    self.end(with: nil)
                }
            }
        }
    }

    private func end(with place: LiveRenditionPlace?) {
        state.withLock { state in
            state.task = nil
            state.found = place
        }
    }

    /// Returns the rendition found since the last call, or nil if there is none.
    func take() -> LiveRenditionPlace? {
        state.withLock { state in
            defer { state.found = nil }
            return state.found
        }
    }

    /// Cancels the search.
    func cancel() { state.withLock { $0.task?.cancel() } }
}
