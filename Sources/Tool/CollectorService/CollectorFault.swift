/// A deliberate misbehavior of a collector, for testing senders.
package enum CollectorFault: Sendable, Hashable {
    /// `lost-answer`: stores the batch, and closes the connection without an answer.
    case lostAnswer
    /// `garbage`: stores the batch, and answers 200 with an invalid receipt.
    case garbage
    /// `status=N`: stores nothing, and answers with status N and a JSON error body.
    case status(Int, retryAfter: RetryAfter?)
    /// `too-large=N`: answers 413 to batches of more than N tags.
    case tooLarge(tagCount: Int)
    /// `poison=WHICH`: refuses one tag, alone or with its whole batch.
    case poison(PoisonedTag, answer: PoisonAnswer)
    /// `slow=N`: reads the body at no more than N bytes per second.
    case slow(bytesPerSecond: Int)
    /// `reset=N`: closes the connection after N bytes of the body.
    case reset(afterByteCount: Int)
    /// `portal=N`: answers with the page of a captive portal, with status 200, 400 or 302.
    case portal(status: Int)
    /// `no-zstd`, `no-gzip`: answers 415 to that encoding.
    case refusedEncoding(String)
    /// `forgetful`: treats every tag as new, and stores duplicates.
    case forgetful

    /// The form of the `Retry-After` field.
    package enum RetryAfter: Sendable, Hashable {
        /// The delay as a number of seconds.
        case seconds(Int)
        /// The delay as a date.
        case date(secondsFromNow: Int)
    }

    /// The tag to refuse.
    package enum PoisonedTag: Sendable, Hashable {
        /// The tag with an ID of 32 hexadecimal digits.
        case id(String)
        /// The n-th distinct tag that the collector receives, counted from 1.
        case ordinal(Int)
    }

    /// The form of the refusal.
    package enum PoisonAnswer: Sendable, Hashable {
        /// Lists the tag in the receipt, and stores the rest of the batch.
        case rejected
        /// Refuses the whole batch with status 400 or 422 and a JSON error body.
        case status(Int)
    }
}

/// A fault and the requests that it applies to.
package struct ScriptedFault: Sendable, Hashable {
    /// A selection of batch requests.
    package enum Selection: Sendable, Hashable {
        /// Every request.
        case always
        /// The first n requests.
        case first(Int)
        /// Every n-th request.
        case every(Int)

        /// Returns whether the selection includes a request, counted from 1.
        func includes(_ number: Int) -> Bool {
            switch self {
            case .always: true
            case .first(let count): number <= count
            case .every(let step): step > 0 && number.isMultiple(of: step)
            }
        }
    }

    /// The fault.
    package let fault: CollectorFault
    /// The requests that the fault applies to.
    let selection: Selection

    /// Creates a fault for the selected requests.
    package init(_ fault: CollectorFault, _ selection: Selection = .always) {
        self.fault = fault
        self.selection = selection
    }

    /// The syntax that `init(_:)` accepts, for the help text.
    package static let grammar = """
        lost-answer | garbage | forgetful | no-zstd | no-gzip
        status=CODE[,retry-after=SECONDS|,retry-date=SECONDS]
        too-large=TAGS | slow=BYTES_PER_SECOND | reset=BYTES | portal=200|400|302
        poison=ID|ORDINAL[,answer=rejected|400|422]
        append @first=N or @every=N to limit a fault to some requests
        """

    /// The fault names and prefixes, for shell completion.
    package static let forms = [
        "lost-answer", "garbage", "forgetful", "no-zstd", "no-gzip", "status=", "too-large=", "slow=",
        "reset=",
        "portal=", "poison=",
    ]

    /// Parses a text such as `status=503,retry-after=5@first=3`, and returns nil if it is invalid.
    package init?(_ text: String) {
        let halves = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        var selection = Selection.always
        if halves.count == 2 {
            let (name, value) = Self.pair(halves[1])
            guard let count = value.flatMap({ Int($0) }), count > 0 else { return nil }
            switch name {
            case "first": selection = .first(count)
            case "every": selection = .every(count)
            default: return nil
            }
        }
        let parts = halves[0].split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        let (name, value) = Self.pair(parts[0])
        let option = parts.count == 2 ? Self.pair(parts[1]) : nil
        guard let fault = Self.fault(name, value, option) else { return nil }
        self.init(fault, selection)
    }

    private typealias Pair = (name: String, value: String?)

    private static func pair(_ text: Substring) -> Pair {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(sides[0]), sides.count == 2 ? String(sides[1]) : nil)
    }

    private static func fault(_ name: String, _ value: String?, _ option: Pair?) -> CollectorFault? {
        let number = value.flatMap { Int($0) }
        switch (name, value != nil, option != nil) {
        case ("lost-answer", false, false): return .lostAnswer
        case ("garbage", false, false): return .garbage
        case ("forgetful", false, false): return .forgetful
        case ("no-zstd", false, false): return .refusedEncoding("zstd")
        case ("no-gzip", false, false): return .refusedEncoding("gzip")
        case ("too-large", true, false): return number.flatMap { $0 >= 0 ? .tooLarge(tagCount: $0) : nil }
        case ("slow", true, false): return number.flatMap { $0 > 0 ? .slow(bytesPerSecond: $0) : nil }
        case ("reset", true, false): return number.flatMap { $0 >= 0 ? .reset(afterByteCount: $0) : nil }
        case ("portal", true, false):
            return number.flatMap { [200, 400, 302].contains($0) ? .portal(status: $0) : nil }
        case ("status", true, _): return status(number, option)
        case ("poison", true, _): return poison(value, option)
        default: return nil
        }
    }

    private static func status(_ code: Int?, _ option: Pair?) -> CollectorFault? {
        guard let code, (200...599).contains(code) else { return nil }
        guard let option else { return .status(code, retryAfter: nil) }
        guard let seconds = option.value.flatMap({ Int($0) }), (0...1_000_000).contains(seconds) else {
            return nil
        }
        switch option.name {
        case "retry-after": return .status(code, retryAfter: .seconds(seconds))
        case "retry-date": return .status(code, retryAfter: .date(secondsFromNow: seconds))
        default: return nil
        }
    }

    private static func poison(_ value: String?, _ option: Pair?) -> CollectorFault? {
        guard let value else { return nil }
        let tag: CollectorFault.PoisonedTag
        if let id = ReceivedID(text: value) {
            tag = .id(id.text)
        } else if let ordinal = Int(value), ordinal > 0 {
            tag = .ordinal(ordinal)
        } else {
            return nil
        }
        guard let option else { return .poison(tag, answer: .rejected) }
        switch (option.name, option.value) {
        case ("answer", "rejected"): return .poison(tag, answer: .rejected)
        case ("answer", "400"): return .poison(tag, answer: .status(400))
        case ("answer", "422"): return .poison(tag, answer: .status(422))
        default: return nil
        }
    }
}
