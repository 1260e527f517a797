import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

extension ManualClock {
    /// Creates a clock with the id of a boot and the times of both clocks, in milliseconds.
    convenience init(
        bootID: String = "boot-1", wall: Int64 = 1_790_000_000_000, boot: Int64 = 5_000_000,
        isTrusted: Bool = true
    ) {
        self.init(
            unixMilliseconds: wall, sinceBoot: .milliseconds(boot), bootID: bootID, isSynchronized: isTrusted)
    }

    /// Sets the wall clock, as an operator or a time service does.
    func stepWall(by step: Duration) {
        setWallClock(unixMilliseconds: unixMilliseconds + step.milliseconds)
    }
}

extension Duration {
    static func days(_ count: Int64) -> Duration { .seconds(86_400 * count) }
}

/// A temporary directory for one test, removed when it is deinitialized.
final class TestDirectory: Sendable {
    let path: String

    /// Chooses a path in memory if the machine supports that.
    ///
    /// The tests simulate the failures of a disk with a shim, and syncs of a real disk would take most of their time.
    init() {
        let memory = "/dev/shm"
        let parent = FileSystem.isWritable(memory) ? memory : NSTemporaryDirectory()
        path = parent + "/dtvr-store-\(TagID.random().text)"
    }

    deinit {
        // Leftovers in the temporary directory do not affect other tests.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The total size of all files.
    var byteCount: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { $0 + (FileSystem.byteCount(of: path + "/" + $1) ?? 0) }
    }
}

/// A source of bodies that vary like real ones: a distinguishing number, and text that compresses poorly.
struct BodySource {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(state: seed) }

    mutating func body(_ number: Int, byteCount: Int = 400) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var bytes = Array("tag \(number) ".utf8)
        while bytes.count < byteCount {
            bytes.append(letters[Int(truncatingIfNeeded: generator.next() & 63)])
        }
        return bytes
    }

    mutating func tags(_ numbers: Range<Int>, byteCount: Int = 400) -> [NewTag] {
        numbers.map { number in
            NewTag(
                id: TagID(high: generator.next(), low: generator.next()),
                body: body(number, byteCount: byteCount))
        }
    }
}

/// A random number generator that returns the same numbers in every run.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    /// Returns incompressible bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            var word = next()
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// Checks that every tag is accounted for, by the totals of the store and by reading every row.
func expectConservation(
    _ store: TagBuffer, offered: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let totals = store.totals()
    #expect(totals.isBalanced, "\(totals)", sourceLocation: sourceLocation)
    if let offered { #expect(totals.offered == Int64(offered), "\(totals)", sourceLocation: sourceLocation) }
    let verification = try await store.verify()
    #expect(verification.rowCount == totals.inStore, "\(verification)", sourceLocation: sourceLocation)
    #expect(verification.isIntact, "\(verification)", sourceLocation: sourceLocation)
}
