package import NielsenID3

/// Compares several renditions of one presentation, or one presentation from several sources: `rendition.tags-differ`
/// and `rendition.time-differs`.
///
/// Two tags are the same if their sequence and blob are equal. The comparison is between **units** of renditions. Each
/// unit must carry every tag. A variant whose audio is in a group forms one unit with that group's default audio. Tags
/// are checked only over the time that every unit covers. This excludes skipped stretches and `edge` seconds at either
/// end, where a tag may be in a segment that was not read.
///
/// A tag that a rendition repeats is a matter of `sequence.step`, not a difference. Other checks report a truncated
/// tag, or one with an invalid owner identifier or checksum. Such a tag is not compared, and its position counts as
/// filled.
///
/// For each segment of a rendition, observe its tags and then advance to its end. The renditions may be read in
/// parallel or one after the other. At most `capacity` tags wait for the other renditions. Beyond that, the oldest tags
/// (the newest when aligned by content) are not compared, and a finding reports this.
package struct RenditionComparison: Sendable {
    /// The property that aligns the tags of two renditions.
    package enum Alignment: Sendable, Hashable {
        /// The position in the presentation.
        ///
        /// The timestamps must match too, as HLS requires (RFC 8216, 6.2.4), so a constant distance is a finding for
        /// every tag.
        case position
        /// The tags themselves, for units from different sources.
        ///
        /// A presentation may start at another segment and have other timestamps there. A constant distance in time is
        /// information, in one finding. Findings are available only after `finish`.
        case content
    }

    /// The maximum distance of a tag from the segment that contains it, in seconds.
    static let edge = 2.0
    /// The maximum number of tags that wait for the other renditions (for each unit when aligned by content).
    static let capacity = 8192

    private var state: State
    private var findings: RenditionFindings

    /// Creates a comparison of renditions with the limits of a policy.
    ///
    /// `renditions` are the names used in findings. `units` groups the renditions by index; nil makes each rendition a
    /// unit. `starts` are the origins of their positions on a common timeline, in seconds; nil means that all start
    /// together. When aligned by content, a rendition belongs to at most one unit, and `starts` is ignored. The tags of
    /// `timeless` renditions, such as a player log, have no known times.
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

    /// Records the next tag of a rendition, in the rendition's order.
    package mutating func observe(_ tag: TagOccurrence, rendition: Int) {
        guard tag.position.isFinite else { return }
        update(.observe(tag), of: rendition)
    }

    /// Records that a rendition was read to a position: the end of a segment after its tags, or infinity at its end.
    package mutating func advance(rendition: Int, to position: Double) {
        update(.advance(position), of: rendition)
    }

    /// Records that a rendition could not be read up to a position, so that no tag counts as missing there.
    package mutating func skip(rendition: Int, to position: Double) {
        guard position.isFinite else { return }
        update(.skip(position), of: rendition)
    }

    /// Checks all pending tags; later observations are ignored.
    package mutating func finish() {
        switch state {
        case .alone, .finished: return
        case .position(var comparison): comparison.finish(&findings)
        case .content(let comparison): comparison.finish(&findings)
        }
        state = .finished
    }

    /// The outcomes of `rendition.tags-differ` and `rendition.time-differs`, in this order.
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
            // Releasing the state first avoids a copy with each step.
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

/// An observation of a rendition: the next tag, or the progress of its reading.
enum RenditionStep {
    case observe(TagOccurrence)
    case advance(Double)
    case skip(Double)
}

/// The renditions of a comparison: their names, their units, and their start positions.
struct RenditionSides: Sendable {
    let names: [String?]
    let units: [[Int]]
    let starts: [Double]
    /// The renditions whose tags have no times.
    let timeless: Set<Int>

    /// Returns the name of a rendition for a sentence.
    func name(of rendition: Int) -> String { names[rendition] ?? "rendition \(rendition + 1)" }

    /// Returns the name of a unit for a sentence.
    func name(ofUnit unit: Int) -> String {
        units[unit].map { name(of: $0) }.joined(separator: " with ")
    }
}
