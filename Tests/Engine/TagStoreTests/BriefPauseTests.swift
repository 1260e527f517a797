import Testing

@testable import TagStore

@Suite struct BriefPauseTests {
    /// Awake only after a brief pause, and no longer than it says.
    @Test func pause_afterABriefOne_isSpentAwakeForAWhile() {
        var pause = BriefPause(processorCount: 2)
        #expect(!pause.isAwake(after: 0))
        pause.end(after: BriefPause.briefNanoseconds - 1)
        #expect(pause.isAwake(after: 0))
        #expect(pause.isAwake(after: BriefPause.awakeNanoseconds - 1))
        #expect(!pause.isAwake(after: BriefPause.awakeNanoseconds))
    }

    @Test func pause_afterALongOne_isSleptThrough() {
        var pause = BriefPause(processorCount: 2)
        for length in [BriefPause.briefNanoseconds, 1_000_000_000, .max] {
            pause.end(after: 0)
            pause.end(after: length)
            #expect(!pause.isAwake(after: 0))
        }
    }

    @Test func pause_onOneProcessor_isSleptThrough() {
        var pause = BriefPause(processorCount: 1)
        pause.end(after: 0)
        #expect(!pause.isAwake(after: 0))
    }
}
