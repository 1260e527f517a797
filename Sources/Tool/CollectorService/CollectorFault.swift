/// One way in which a collector misbehaves on purpose, so that a sender can be tried against it.
package enum CollectorFault: Sendable, Hashable {
    /// `lost-answer`: the batch is kept, and the connection closed without an answer.
    case lostAnswer
    /// `garbage`: the batch is kept, and answered 200 with bytes that are no receipt.
    case garbage
    /// `status=N`: nothing is kept, and the answer is that status with an error body of ours.
    case status(Int, retryAfter: RetryAfter?)
    /// `too-large=N`: batches of more than N tags are answered 413.
    case tooLarge(tagCount: Int)
    /// `poison=WHICH`: one tag is refused, alone or with all of its batch.
    case poison(PoisonedTag, answer: PoisonAnswer)
    /// `slow=N`: the body is read at N bytes a second, at most.
    case slow(bytesPerSecond: Int)
    /// `reset=N`: the connection is closed once N bytes of the body were read.
    case reset(afterByteCount: Int)
    /// `portal=N`: a captive portal's page, with status 200, 400 or 302.
    case portal(status: Int)
    /// `no-zstd`, `no-gzip`: that encoding is answered 415.
    case refusedEncoding(String)
    /// `forgetful`: every tag counts as new, so that what is sent twice is kept twice.
    case forgetful

    /// When the sender is asked to come again.
    package enum RetryAfter: Sendable, Hashable {
        /// In so many seconds, told as a number.
        case seconds(Int)
        /// In so many seconds, told as a date.
        case date(secondsFromNow: Int)
    }

    /// Which tag is refused.
    package enum PoisonedTag: Sendable, Hashable {
        /// The tag of that id, 32 hexadecimal digits.
        case id(String)
        /// The n-th different tag that the collector sees, from 1.
        case ordinal(Int)
    }

    /// How a poisoned tag is refused.
    package enum PoisonAnswer: Sendable, Hashable {
        /// In the receipt's list; the rest of the batch is kept.
        case rejected
        /// The whole batch with that status, 400 or 422, and an error body of ours.
        case status(Int)
    }
}

/// A fault, and which of the requests it applies to.
package struct ScriptedFault: Sendable, Hashable {
    /// Which of the requests that bring a batch are chosen.
    package enum Selection: Sendable, Hashable {
        /// Every one.
        case always
        /// The first n.
        case first(Int)
        /// The n-th, and every n-th after it.
        case every(Int)

        /// Whether the selection includes a request, counted from 1.
        func includes(_ number: Int) -> Bool {
            switch self {
            case .always: true
            case .first(let count): number <= count
            case .every(let step): step > 0 && number.isMultiple(of: step)
            }
        }
    }

    /// What goes wrong.
    package let fault: CollectorFault
    /// For which requests.
    package let selection: Selection

    /// A fault that applies to those requests.
    package init(_ fault: CollectorFault, _ selection: Selection = .always) {
        self.fault = fault
        self.selection = selection
    }

    /// What `init(_:)` reads, a line a fault, for a help text.
    package static let grammar = """
        lost-answer | garbage | forgetful | no-zstd | no-gzip
        status=CODE[,retry-after=SECONDS|,retry-date=SECONDS]
        too-large=TAGS | slow=BYTES_PER_SECOND | reset=BYTES | portal=200|400|302
        poison=ID|ORDINAL[,answer=rejected|400|422]
        each may end in @first=N or @every=N
        """

    /// What a fault's text begins with, or is: for completion in a shell.
    package static let forms = [
        "lost-answer", "garbage", "forgetful", "no-zstd", "no-gzip", "status=", "too-large=", "slow=",
        "reset=",
        "portal=", "poison=",
    ]

    /// The fault that a text such as `status=503,retry-after=5@first=3` names; nil where it names none.
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
