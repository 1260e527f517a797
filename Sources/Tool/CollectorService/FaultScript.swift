import HTTPServing
import TextForms

/// Applies a list of faults, request by request.
struct FaultScript: Sendable {
    private let faults: [ScriptedFault]
    private var requestCount = 0
    /// The distinct tags received so far, up to the highest ordinal of a poisoned tag.
    private var seen: Set<UInt128> = []
    private var poisoned: [Int: UInt128] = [:]

    init(_ faults: [ScriptedFault]) { self.faults = faults }

    /// Returns the faults that apply to the next request.
    mutating func next() -> [CollectorFault] {
        if faults.isEmpty { return [] }
        requestCount += 1
        return faults.filter { $0.selection.includes(requestCount) }.map(\.fault)
    }

    /// Records the tags of a batch, to find the n-th distinct tag.
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

    /// Returns the ID of a poisoned tag, or nil if that tag has not arrived yet.
    func identifier(of tag: CollectorFault.PoisonedTag) -> UInt128? {
        switch tag {
        case .id(let text): ReceivedID(text: text)?.value
        case .ordinal(let ordinal): poisoned[ordinal]
        }
    }
}

extension CollectorFault {
    /// Returns the answer that replaces normal processing, or nil if the fault has another effect.
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
