/// The amounts of a capacity that each holder has and waits for, by the rules of `FairShares`.
struct FairAllocation {
    /// A request that waits.
    private struct Request {
        let number: UInt64
        let holder: String
        let amount: Int
    }

    private let capacity: Int
    /// The amount in use.
    private(set) var total = 0
    /// The largest amount in use so far.
    private(set) var peak = 0
    /// The amounts of the holders that have any.
    private var amounts: [String: Int] = [:]
    private var waiting: [Request] = []
    private var lastNumber: UInt64 = 0

    init(capacity: Int) { self.capacity = capacity }

    /// The part of the capacity that is only for holders without an amount.
    private var reserve: Int { max(1, capacity / 8) }

    /// The number of requests that wait.
    var waiterCount: Int { waiting.count }

    /// Returns the amount of a holder.
    func amount(of holder: String) -> Int { amounts[holder, default: 0] }

    /// Adds a request, and returns its number.
    mutating func request(_ amount: Int, for holder: String) -> UInt64 {
        lastNumber += 1
        waiting.append(Request(number: lastNumber, holder: holder, amount: amount))
        return lastNumber
    }

    /// Removes a request.
    mutating func cancel(_ number: UInt64) { waiting.removeAll { $0.number == number } }

    /// Grants the first request if it fits, and returns its number.
    mutating func grantNext() -> UInt64? {
        // Older requests have lower indexes, and `min` returns the first of equal ones.
        let first = waiting.indices.min { amount(of: waiting[$0].holder) < amount(of: waiting[$1].holder) }
        guard let first else { return nil }
        let request = waiting[first]
        let limit = amount(of: request.holder) == 0 ? capacity : capacity - reserve
        guard request.amount <= limit - total else { return nil }
        waiting.remove(at: first)
        total += request.amount
        peak = max(peak, total)
        amounts[request.holder, default: 0] += request.amount
        return request.number
    }

    /// Subtracts from the amount of a holder.
    mutating func release(_ amount: Int, of holder: String) {
        total -= amount
        let rest = self.amount(of: holder) - amount
        amounts[holder] = rest > 0 ? rest : nil
    }
}
