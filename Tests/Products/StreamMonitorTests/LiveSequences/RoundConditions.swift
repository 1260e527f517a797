import HostSystem
import TagStore
import TestSupport

@testable import StreamSynthesis
@testable import TagDelivery

/// The surroundings of a monitor in a round, from its seed.
///
/// The buffer is large, or so small that a flood of tags fills it. Its disk is full for some time, and has space again.
/// Other processes use it through its socket, well or badly. The monitor is restarted.
struct RoundConditions {
    let maximumByteCount: Int
    /// Whether servers with random responses send floods of tags.
    let isFlooded: Bool
    /// The times at which the disk is full.
    let fullDisk: ClosedRange<Duration>?
    let restart: Duration?
    let hasNeighbor: Bool

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed, stream: 0x524F_554E)
        isFlooded = Bool.random(using: &random)
        // While the disk is full, tags beyond the room in memory are lost, also those of healthy channels.
        let isFull = !isFlooded && SmallDisk.isAllowed && Bool.random(using: &random)
        let start = Duration.milliseconds(500 * .random(in: 10...120, using: &random))
        fullDisk = isFull ? start...start + .milliseconds(500 * .random(in: 1...60, using: &random)) : nil
        let time = Duration.milliseconds(.random(in: 10_000...110_000, using: &random))
        // A restart while the disk is full loses what was only in memory.
        restart = !isFull && Bool.random(using: &random) ? time : nil
        hasNeighbor = Bool.random(using: &random)
        maximumByteCount = isFlooded ? .random(in: 4_000_000...40_000_000, using: &random) : 200_000_000
    }
}

extension RoundConditions: CustomStringConvertible {
    var description: String {
        var parts = ["\(maximumByteCount) bytes"]
        if isFlooded { parts.append("flooded") }
        if let fullDisk { parts.append("full disk from \(fullDisk.lowerBound) to \(fullDisk.upperBound)") }
        if let restart { parts.append("restart at \(restart)") }
        if hasNeighbor { parts.append("neighbor") }
        return parts.joined(separator: ", ")
    }
}

/// Another process that uses the buffer of a monitor: it appends tags of its own, also in bursts, and sends requests
/// that no client would send.
struct BufferNeighbor {
    private static let channel = "neighbor"

    private var random: SplitMix64
    private let conditions: RoundConditions
    /// The ids of its tags, and of those that the owner has accepted.
    private(set) var sent: Set<String> = []
    private(set) var accepted: Set<String> = []

    init(seed: UInt64, _ conditions: RoundConditions) {
        random = SplitMix64(seed: seed, stream: 0x4E45_4947)
        self.conditions = conditions
    }

    /// Sends some requests to the owner of the buffer.
    mutating func act(on owner: BufferOwner) async throws {
        guard conditions.hasNeighbor else { return }
        _ = await owner.answer(random.bytes(.random(in: 0...2_000, using: &random)))
        for request in try strangeRequests() { _ = await owner.answer(request) }
        let isBurst = conditions.isFlooded && Int.random(in: 0..<20, using: &random) == 0
        let count = isBurst ? 2_000 : Int.random(in: 0...2, using: &random)
        var ids: [String] = []
        for _ in 0..<count { ids.append(TagID.random().text) }
        if ids.isEmpty { return }
        sent.formUnion(ids)
        let bodies = ids.map { _ in random.bytes(isBurst ? 400 : 40) }
        if case .value = await owner.answer(try Self.append(ids, bodies, of: Self.channel)) {
            accepted.formUnion(ids)
        }
    }

    private static func append(
        _ ids: [String], _ bodies: [[UInt8]], of channel: String, sizes: Int = 0, holder: String? = nil
    ) throws -> [UInt8] {
        let tags = zip(ids, bodies).map {
            BufferRequest.Append.Tag(id: $0, byteCount: $1.count &+ sizes, owner: nil)
        }
        let append = BufferRequest.Append(
            owner: TagOwner(channel: channel), bookmark: nil, holder: holder, tags: tags)
        return try BufferRequest.append(append).encoded(with: bodies)
    }

    /// Returns requests with wrong sizes, ids, clients and places.
    private mutating func strangeRequests() throws -> [[UInt8]] {
        let body = random.bytes(20)
        let number = [0, 1, -1, .max, .min].randomElement(using: &random) ?? 0
        let sequence = Int64(number)
        return [
            try Self.append(["x"], [body], of: "healthy1"),
            try Self.append([TagID.random().text], [body], of: "healthy1", sizes: number == 0 ? 1 : number),
            try Self.append([TagID.random().text], [body], of: "healthy1", holder: "nobody"),
            try BufferRequest.release([.init(sequence: sequence, byteCount: number)]).encoded(),
            try BufferRequest.page(of: .waiting, after: sequence).encoded(),
            Array(try BufferRequest.status.encoded().dropLast()),
        ]
    }
}
