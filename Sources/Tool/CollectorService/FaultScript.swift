import HTTPServing
import TextForms

/// Goes through a list of faults, request by request.
struct FaultScript: Sendable {
    private let faults: [ScriptedFault]
    private var requestCount = 0
    /// The different tags seen so far, while some fault waits for the n-th.
    private var seen: Set<UInt128> = []
    private var poisoned: [Int: UInt128] = [:]

    init(_ faults: [ScriptedFault]) { self.faults = faults }

    /// The faults that apply to the next request.
    mutating func next() -> [CollectorFault] {
        if faults.isEmpty { return [] }
        requestCount += 1
        return faults.filter { $0.selection.includes(requestCount) }.map(\.fault)
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
    func answer(to batch: ReceivedBatch, script: FaultScript, now: Int64) -> HTTPServerAnswer? {
        switch self {
        case .status(let status, let retryAfter):
            var fields: [HTTPServerRequest.Pair] = []
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
                ? [HTTPServerRequest.Pair(name: "Location", value: "http://portal.invalid/")] : []
            return HTTPServerAnswer(
                status: status, type: "text/html", fields: fields,
                body: Array("<html><body>Please log in to the hotel's network.</body></html>".utf8))
        default:
            return nil
        }
    }
}
