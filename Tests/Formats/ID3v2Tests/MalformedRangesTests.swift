import ID3v2
import Testing

@Suite struct MalformedRangesTests {
    private typealias Range = CarriageFacts.MalformedRange

    private static func list(_ ranges: [Range]) -> CarriageFacts.MalformedRanges {
        var list = CarriageFacts.MalformedRanges()
        for range in ranges { list.append(range) }
        return list
    }

    /// Returns ranges of a container, and ranges of tags after or before them.
    private static func ranges(container: Int, tags: Int, tagsFirst: Bool) -> [Range] {
        let damage = (0..<container).map { Range(offset: $0, length: 188, rule: .syncLost) }
        let claims = (0..<tags).map {
            Range(offset: 1_000 + $0, length: 10, rule: $0 % 2 == 0 ? .frameSize : .eventMessageWithoutTag)
        }
        return tagsFirst ? claims + damage : damage + claims
    }

    private static let counts = [0, 1, 63, 64, 65, 130]

    /// Lists with up to 130 ranges of each kind, around the limit of 64.
    private static let samples = counts.flatMap { container in
        counts.flatMap { tags in
            [false, true].map { ranges(container: container, tags: tags, tagsFirst: $0) }
        }
    }

    private static func expect(_ list: CarriageFacts.MalformedRanges, holds ranges: [Range]) {
        let tags = ranges.filter { $0.offset >= 1_000 }
        #expect(list.count == ranges.count)
        #expect(list.first == Array(ranges.prefix(64)))
        #expect(list.tags.count == tags.count)
        #expect(list.tags.first == Array(tags.prefix(64)))
    }

    @Test func ranges_aboveTheLimit_areCounted_separatelyForTags() {
        for ranges in Self.samples { Self.expect(Self.list(ranges), holds: ranges) }
    }

    @Test func appendedLists_equalTheListOfAllRanges() {
        for first in Self.samples {
            for second in Self.samples {
                var list = Self.list(first)
                list.append(contentsOf: Self.list(second))
                Self.expect(list, holds: first + second)
            }
        }
    }
}

@Suite struct CarriageFactsTests {
    @Test func boundedList_aboveItsLimit_continuesCounting() {
        var list = CarriageFacts.Bounded<UInt32>()
        for index in 0..<100 { list.append(UInt32(index)) }
        #expect(list.count == 100)
        #expect(list.first == (0..<64).map(UInt32.init))
    }
}
