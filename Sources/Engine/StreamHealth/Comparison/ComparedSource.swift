import NielsenID3

/// One source of a comparison: its tags in order of media time, without repeats, and the coverage of its reading.
struct ComparedSource: Sendable {
    struct Tag: Sendable {
        let identity: RenditionTagIdentity
        let occurrence: RenditionOccurrence
    }

    /// The stream of its tags in an alignment.
    let stream: Int
    let name: String
    private let renditions: [Int]
    private var coverage: [Int: RenditionCoverage] = [:]
    private(set) var tags: [Tag] = []
    /// The range of times stated by its tags, in Unix seconds.
    private(set) var tagTimes: ClosedRange<UInt32>?
    private(set) var isFull = false
    private var lastPlace: [RenditionTagIdentity: Double] = [:]
    private var damaged: [Double] = []

    init(stream: Int, name: String, renditions: [Int]) {
        self.stream = stream
        self.name = name
        self.renditions = renditions
        for rendition in renditions { coverage[rendition] = RenditionCoverage() }
    }

    mutating func advance(_ rendition: Int, to position: Double) {
        if !isFull { coverage[rendition]?.advance(to: position) }
    }

    mutating func skip(_ rendition: Int, to position: Double) {
        if !isFull { coverage[rendition]?.skip(to: position) }
    }

    /// Adds an occurrence of a tag unless it is a repeat; a damaged tag, without an identity, only fills its position.
    mutating func add(
        _ occurrence: RenditionOccurrence, of identity: RenditionTagIdentity?, repeatAge: Double
    ) {
        guard !isFull else { return }
        if tags.count + damaged.count >= RenditionComparison.capacity {
            isFull = true
            for rendition in renditions { coverage[rendition]?.close(at: occurrence.position) }
            return
        }
        guard let identity else {
            damaged.append(occurrence.position)
            return
        }
        if let place = lastPlace[identity], abs(occurrence.position - place) <= repeatAge { return }
        lastPlace[identity] = occurrence.position
        tags.append(Tag(identity: identity, occurrence: occurrence))
        if let times = occurrence.tagTimes {
            let known = tagTimes ?? times
            tagTimes =
                min(known.lowerBound, times.lowerBound)...max(known.upperBound, times.upperBound)
        }
    }

    /// Returns the source with the tags of all its renditions sorted by media time.
    func inOrder() -> ComparedSource {
        var source = self
        // The index keeps the sort stable for equal positions.
        source.tags = tags.enumerated()
            .sorted {
                ($0.element.occurrence.position, $0.offset) < ($1.element.occurrence.position, $1.offset)
            }
            .map(\.element)
        return source
    }

    /// Whether any part of every rendition was read.
    var wasRead: Bool { coverage.values.allSatisfy { $0.frontier > 0 } }

    func covers(_ position: Double) -> Bool { coverage.values.allSatisfy { $0.covers(position) } }

    func isSkipped(_ position: Double) -> Bool { coverage.values.contains { $0.isSkipped(position) } }

    /// Returns whether a damaged tag occupies the given position.
    func isFilled(_ position: Double) -> Bool {
        damaged.contains { abs($0 - position) <= RenditionComparison.edge }
    }
}
