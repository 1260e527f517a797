import HLSInput
import Synchronization

/// Looks for the rendition that carries the tags of a channel, while another one is followed.
final class RenditionSearch: Sendable {
    private let state = Mutex(State())

    private struct State {
        var task: Task<Void, Never>?
        var found: LiveRenditionPlace?
    }

    /// Begins to look, unless it does already.
    func begin(in input: LiveInput) {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task {
                do throws(InputError) {
                    self.end(with: try await input.probe().cheapestWithTags)
                } catch {
                    // Whoever follows the channel finds that its address fails.
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

    /// What was found since the last call; nil where nothing was.
    func take() -> LiveRenditionPlace? {
        state.withLock { state in
            defer { state.found = nil }
            return state.found
        }
    }

    /// Gives up.
    func cancel() { state.withLock { $0.task?.cancel() } }
}
