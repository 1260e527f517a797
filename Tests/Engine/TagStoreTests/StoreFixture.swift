import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

extension ManualClock {
    /// A clock of a boot, with the time on both clocks in milliseconds.
    convenience init(
        bootID: String = "boot-1", wall: Int64 = 1_790_000_000_000, boot: Int64 = 5_000_000,
        isTrusted: Bool = true
    ) {
        self.init(
            unixMilliseconds: wall, sinceBoot: .milliseconds(boot), bootID: bootID, isSynchronized: isTrusted)
    }

    /// Sets the wall clock, as a hand or a time service does.
    func stepWall(by step: Duration) {
        setWallClock(unixMilliseconds: unixMilliseconds + step.milliseconds)
    }
}

extension Duration {
    static func days(_ count: Int64) -> Duration { .seconds(86_400 * count) }
}

/// A directory of a test's own, removed with it.
final class TestDirectory: Sendable {
    let path: String

    /// In memory where the machine has such a place: what these tests ask of a disk they ask of a shim, and a
    /// sync of a real one takes most of their time.
    init() {
        let memory = "/dev/shm"
        let parent = FileSystem.isWritable(memory) ? memory : NSTemporaryDirectory()
        path = parent + "/dtvr-store-\(TagID.random().text)"
    }

    deinit {
        // What is left over in the temporary directory harms no other test.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The bytes of all files together.
    var byteCount: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { $0 + (FileSystem.byteCount(of: path + "/" + $1) ?? 0) }
    }
}

/// Bodies as varied as real ones: a number that tells them apart, and text that does not compress well.
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

/// Random numbers that are the same at every run.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    /// Bytes that no compression shortens.
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

/// Asserts that nothing is unaccounted for, by the store's own count and by reading every row.
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
