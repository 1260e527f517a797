import HostSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct ExecutorTests {
    private actor Counter {
        private let executor: SerialThreadExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        private(set) var count = 0

        init(_ executor: SerialThreadExecutor) { self.executor = executor }

        func add() { count += 1 }
    }

    @Test func actorOnASerialExecutor_calledFromManyTasks_countsEveryCall() async throws {
        let counter = Counter(try SerialThreadExecutor(name: "test"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 { group.addTask { await counter.add() } }
        }
        #expect(await counter.count == 1_000)
    }

    @Test func closuresOfASerialExecutor_runInOrderOnItsThread() async throws {
        let executor = try SerialThreadExecutor(name: "test")
        let seen = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<1_000 {
                executor.enqueue {
                    executor.checkIsolated()
                    seen.withLock { $0.append(number) }
                }
            }
            executor.enqueue { continuation.resume() }
        }
        #expect(seen.withLock { $0 } == Array(0..<1_000))
    }

    @Test func checkIsolated_onAnotherThread_traps() async {
        await #expect(processExitsWith: .failure) {
            let executor = try SerialThreadExecutor(name: "test")
            executor.checkIsolated()
        }
    }

    /// Two jobs that wait for each other need two threads.
    @Test func taskExecutor_ofTwoThreads_runsTwoJobsAtOnce() async throws {
        let executor = try ThreadExecutor(name: "test", threadCount: 2)
        let first = Gate()
        let second = Gate()
        async let one: Void = withTaskExecutorPreference(executor) {
            first.open()
            second.waitUntilOpen()
        }
        async let two: Void = withTaskExecutorPreference(executor) {
            second.open()
            first.waitUntilOpen()
        }
        _ = await (one, two)
    }

    @Test func taskExecutor_ofOneThread_runsAllJobsOnIt() async throws {
        let executor = try ThreadExecutor(name: "dtvr-one")
        let names = await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 {
                group.addTask(executorPreference: executor) {
                    do { return try FileSystem.firstBytes(of: "/proc/thread-self/comm", 64) } catch {
                        return []
                    }
                }
            }
            return await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(names == [Array("dtvr-one\n".utf8)])
    }

    @Test func pendingWork_whenTheExecutorIsReleased_isDone() async throws {
        let done = Mutex(0)
        await withCheckedContinuation { continuation in
            do {
                let executor = try SerialThreadExecutor(name: "test")
                for _ in 0..<100 { executor.enqueue { done.withLock { $0 += 1 } } }
                executor.enqueue { continuation.resume() }
            } catch {
                Issue.record(error)
                continuation.resume()
            }
        }
        #expect(done.withLock { $0 } == 100)
    }

    /// A gate that blocks a thread until another thread opens it.
    private final class Gate: Sendable {
        private let isOpen = Atomic(false)
        func open() { isOpen.store(true, ordering: .releasing) }
        func waitUntilOpen() {
            while !isOpen.load(ordering: .acquiring) {}
        }
    }
}
