package import NielsenID3

/// Several renditions of one presentation, or one presentation from several sources, read side by side:
/// `rendition.tags-differ` and `rendition.time-differs`.
///
/// Two tags are the same where their sequence and blob are. What is compared are **units** of renditions, each of
/// which must carry every tag by itself: a variant whose audio is in a group is one unit with that group's default
/// audio. The tags are checked over the time alone that every unit covers: what was read, without the stretches that
/// were skipped, and without `edge` seconds at either end, where a tag may lie in a segment that was not read.
///
/// A tag that a rendition repeats is checked by `sequence.step`, and is no difference. A tag whose owner identifier or
/// checksum is broken, or that is truncated, is checked by its own checks: it takes no part here, and its place counts as
/// filled.
///
/// For each segment of a rendition: observe its tags, then advance to its end. The renditions may be read in turn
/// or one after the other. At most `capacity` tags wait for the other renditions; where more would, the oldest (by
/// content: the newest) are left out of the comparison, and a finding says so.
package struct RenditionComparison: Sendable {
    /// What makes two places in two renditions the same.
    package enum Alignment: Sendable, Hashable {
        /// The position in the presentation. The timestamps must be the same too, as HLS has it (RFC 8216, 6.2.4), so
        /// that a distance that never changes is a finding for every tag.
        case position
        /// The tags themselves: for units that come from different sources, where a presentation may begin at another
        /// segment and have other timestamps. A distance in time that never changes is information, in one finding.
        /// Findings come with `finish` only.
        case content
    }

    /// How far a tag's place may lie from the segment that it is in, in seconds.
    static let edge = 2.0
    /// How many tags wait for the other renditions (by content: of each unit) at most.
    static let capacity = 8192

    private var state: State
    private var findings: RenditionFindings

    /// A comparison of renditions by the limits of a policy.
    ///
    /// `renditions` are their names as findings have them. `units` says by their indices which renditions count
    /// together; left out, each counts by itself. `starts` are where on one common line, in seconds, their positions
    /// count from; left out, all begin at the same place. By content a rendition belongs to one unit at most,
    /// and `starts` are not used. Of the `timeless` ones, such as the log of a player, nothing is known of
    /// the time at which their tags lie.
    package init(
        policy: HealthPolicy, renditions: [String?], units: [[Int]]? = nil, starts: [Double]? = nil,
        alignment: Alignment = .position, timeless: Set<Int> = []
    ) {
        precondition(starts == nil || starts?.count == renditions.count, "a start for each rendition")
        let units = (units ?? renditions.indices.map { [$0] }).filter { !$0.isEmpty }
        let sides = RenditionSides(
            names: renditions, units: units, starts: starts ?? renditions.map { _ in 0 },
            timeless: timeless)
        findings = RenditionFindings(policy: policy)
        state =
            if Set(units.map(Set.init)).count < 2 {
                .alone
            } else {
                switch alignment {
                case .position: .position(PositionComparison(sides: sides, policy: policy))
                case .content: .content(ContentComparison(sides: sides, policy: policy))
                }
            }
    }

    /// Takes the next tag of a rendition, in the order in which they lie in it.
    package mutating func observe(_ tag: TagOccurrence, rendition: Int) {
        guard tag.position.isFinite else { return }
        update(.observe(tag), of: rendition)
    }

    /// Says up to which position a rendition was read: the end of a segment whose tags were observed; infinity once
    /// it has ended.
    package mutating func advance(rendition: Int, to position: Double) {
        update(.advance(position), of: rendition)
    }

    /// Says that a rendition could not be read from where it is up to a position: no tag is missed there.
    package mutating func skip(rendition: Int, to position: Double) {
        guard position.isFinite else { return }
        update(.skip(position), of: rendition)
    }

    /// Checks what still waits; what comes after it is left out.
    package mutating func finish() {
        switch state {
        case .alone, .finished: return
        case .position(var comparison): comparison.finish(&findings)
        case .content(let comparison): comparison.finish(&findings)
        }
        state = .finished
    }

    /// How the two checks stand: `rendition.tags-differ`, then `rendition.time-differs`.
    package var outcomes: [CheckOutcome] {
        if case .alone = state {
            return findings.outcomes(aloneBecause: RenditionTagsDiffer.declaration.notRun)
        }
        return findings.outcomes(aloneBecause: nil)
    }

    private mutating func update(_ step: RenditionStep, of rendition: Int) {
        switch state {
        case .alone, .finished: return
        case .position(var comparison):
            // Taken out first, so that the comparison is not copied with each step.
            state = .finished
            comparison.observe(step, of: rendition, &findings)
            state = .position(comparison)
        case .content(var comparison):
            state = .finished
            comparison.observe(step, of: rendition, &findings)
            state = .content(comparison)
        }
    }

    private enum State: Sendable {
        case alone
        case position(PositionComparison)
        case content(ContentComparison)
        case finished
    }
}

/// What can be said of a rendition: one more tag, or how far it was read.
enum RenditionStep {
    case observe(TagOccurrence)
    case advance(Double)
    case skip(Double)
}

/// The renditions that are compared: their names, what counts together, and where they begin.
struct RenditionSides: Sendable {
    let names: [String?]
    let units: [[Int]]
    let starts: [Double]
    /// The renditions whose tags lie at no time.
    let timeless: Set<Int>

    /// The name of a rendition in a sentence.
    func name(of rendition: Int) -> String { names[rendition] ?? "rendition \(rendition + 1)" }

    /// The name of a unit in a sentence.
    func name(ofUnit unit: Int) -> String {
        units[unit].map { name(of: $0) }.joined(separator: " with ")
    }

    /// Several names in a sentence.
    static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
