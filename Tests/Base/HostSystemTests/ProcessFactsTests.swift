import Foundation
import HostSystem
import Testing

@Suite struct ProcessFactsTests {
    @Test func processFacts_matchThisProcess() throws {
        let first = try #require(ProcessFacts())
        let now = Date().timeIntervalSince1970
        // The clock's ticks are 10 ms long.
        #expect(first.startTime < now + 0.02 && first.startTime > now - 7 * 86_400)
        #expect(first.processorSeconds > 0)
        #expect(first.processorSeconds < (now - first.startTime + 1) * 1_024)
        #expect(first.residentByteCount > 1_000_000 && first.residentByteCount < first.virtualByteCount)
        #expect(first.openFileCount >= 3 && UInt64(first.openFileCount) <= first.maximumOpenFileCount)

        let held = [UInt8](repeating: 1, count: 64 << 20)
        // Far more files than other tests open and close at the same time.
        let files = try (0..<200).map { _ in try #require(FileHandle(forReadingAtPath: "/dev/null")) }
        let second = try #require(ProcessFacts())
        #expect(second.startTime == first.startTime)
        #expect(second.processorSeconds >= first.processorSeconds)
        #expect(second.residentByteCount > 64 << 20)
        #expect(second.openFileCount >= first.openFileCount + 100)
        withExtendedLifetime((files, held)) {}
    }
}
