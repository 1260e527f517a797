import Testing

@testable import StreamMonitor

@Suite struct ChannelStartsTests {
    private static func starts(_ count: Int) -> ChannelStarts {
        var starts = ChannelStarts()
        for number in 1...count { starts.add("\(number)") }
        return starts
    }

    private static func ids(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(String.init) }

    @Test func channels_startInTheirOrder_inThePlaceOfThoseThatHaveReadTheirLists() {
        var starts = Self.starts(210)
        #expect(
            starts.next(at: .zero) { _ in
                true
            } hasReadList: { _ in
                false
            } == Self.ids(1...100))
        let next = starts.next(at: .seconds(1)) { _ in
            true
        } hasReadList: {
            (Int($0) ?? 0) <= 30
        }
        #expect(next == Self.ids(101...130))
        #expect(
            starts.next(at: .seconds(1)) { _ in
                true
            } hasReadList: { _ in
                true
            } == Self.ids(131...210))
        #expect(
            starts.next(at: .seconds(1)) { _ in
                true
            } hasReadList: { _ in
                true
            } == [])
    }

    @Test func channelsThatReadNothing_keepOthersFromStarting_forTwoSeconds() {
        var starts = Self.starts(210)
        var counts: [Int] = []
        for second in 0...4 {
            counts.append(
                starts.next(at: .seconds(second)) { _ in
                    true
                } hasReadList: { _ in
                    false
                }.count)
        }
        #expect(counts == [100, 0, 100, 0, 10])
    }

    @Test func channelsThatWereRemovedOrPausedMeanwhile_takeNoPlace() {
        var starts = Self.starts(300)
        let next = starts.next(at: .zero) {
            (Int($0) ?? 0) > 150
        } hasReadList: { _ in
            false
        }
        #expect(next == Self.ids(151...250))
    }
}
