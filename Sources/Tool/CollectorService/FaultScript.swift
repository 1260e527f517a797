import TagRecord

/// Goes through a list of faults, request by request.
struct FaultScript: Sendable {
    private let faults: [ScriptedFault]
    private var requestCount = 0
    /// The different tags seen so far, while some fault waits for the n-th.
    private var seen: Set<UInt128> = []
    private var poisoned: [Int: UInt128] = [:]

    init(_ faults: [ScriptedFault]) { self.faults = faults }

    /// The faults that hit the next request.
    mutating func next() -> [CollectorFault] {
        if faults.isEmpty { return [] }
        requestCount += 1
        return faults.filter { $0.selection.hits(requestCount) }.map(\.fault)
    }

    /// Takes note of the tags of a batch, so that the n-th different one is known.
    mutating func observe(_ batch: ReceivedBatch) {
        let ordinals = Set(
            faults.compactMap { scripted -> Int? in
                if case .poison(.ordinal(let ordinal), _) = scripted.fault { return ordinal }
                return nil
            })
        guard let highest = ordinals.max(), seen.count < highest else { return }
        for line in batch.lines where seen.insert(line.id.value).inserted && ordinals.contains(seen.count) {
            poisoned[seen.count] = line.id.value
        }
    }

    /// The id of a poisoned tag; nil while it is not known.
    func identifier(of tag: CollectorFault.PoisonedTag) -> UInt128? {
        switch tag {
        case .id(let text): ReceivedID(text: text)?.value
        case .ordinal(let ordinal): poisoned[ordinal]
        }
    }
}

extension CollectorFault {
    /// The answer that stands in for taking the batch; nil where the fault does something else.
    func answer(to batch: ReceivedBatch, script: FaultScript, now: Int64) -> CollectorAnswer? {
        switch self {
        case .status(let status, let retryAfter):
            var fields: [CollectorAnswer.Field] = []
            switch retryAfter {
            case nil: break
            case .seconds(let seconds): fields = [.init(name: "Retry-After", value: String(seconds))]
            case .date(let seconds):
                fields = [
                    .init(
                        name: "Retry-After", value: HTTPDate.text(unixSeconds: now / 1_000 + Int64(seconds)))
                ]
            }
            return .error(status, "scripted", "a scripted fault", fields: fields)
        case .tooLarge(let count):
            guard batch.lines.count > count else { return nil }
            return .error(413, "too_large", "a scripted limit of \(count) tags")
        case .poison(let tag, .status(let status)):
            guard let id = script.identifier(of: tag), batch.lines.contains(where: { $0.id.value == id })
            else {
                return nil
            }
            return .error(status, "bad_tag", "a scripted poison tag")
        case .portal(let status):
            let fields =
                status == 302
                ? [CollectorAnswer.Field(name: "Location", value: "http://portal.invalid/")] : []
            return CollectorAnswer(
                status: status, type: "text/html", fields: fields,
                body: Array("<html><body>Please log in to the hotel's network.</body></html>".utf8))
        default:
            return nil
        }
    }
}

/// Dates as HTTP writes them (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time in the form `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(unixSeconds: Int64) -> String {
        // `1994-11-06T08:49:37.000Z`
        let text = RFC3339.text(unixMilliseconds: unixSeconds * 1_000)
        let fields = text.split { "-T:.".contains($0) }
        let month = Int(fields[1]).map { months[$0 - 1] } ?? ""
        // 1 January 1970 was a Thursday.
        let day = Int((Double(unixSeconds) / 86_400).rounded(.down))
        let weekday = weekdays[((day % 7) + 7) % 7]
        return "\(weekday), \(fields[2]) \(month) \(fields[0]) \(fields[3]):\(fields[4]):\(fields[5]) GMT"
    }
}
