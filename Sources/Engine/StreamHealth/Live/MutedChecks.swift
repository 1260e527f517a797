package import NielsenID3

/// The checks of a live channel that an operator has muted.
package struct MutedChecks: Sendable, Hashable {
    /// The checks that are not run.
    package var ignored: Set<CheckID> = []
    /// The checks whose findings are shown, without an alert and without degrading the channel.
    package var accepted: Set<CheckID> = []

    /// Creates a value without muted checks.
    package init() {}

    /// The checks that raise no alert.
    var all: Set<CheckID> { ignored.union(accepted) }

    /// Returns whether a check is ignored or accepted.
    func contains(_ check: CheckID) -> Bool { ignored.contains(check) || accepted.contains(check) }
}
