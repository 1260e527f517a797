import Testing

@testable import Reporting

@Suite struct SpacingSketchTests {
    private func sketch(_ positions: some Sequence<Double>) -> SpacingSketch {
        var sketch = SpacingSketch()
        for position in positions { sketch.append(position: position) }
        return sketch
    }

    @Test func oneTag_hasNoSpacing() {
        let sketch = sketch([5])
        #expect(sketch.count == 0)
        #expect(sketch.median == nil)
        #expect(sketch.bars.isEmpty)
    }

    @Test func fewSpacings_haveOneColumnEach() {
        let sketch = sketch([0, 10, 20, 40])
        #expect(sketch.columns == [10, 10, 20])
        #expect(sketch.median == 10)
        #expect(sketch.narrowest == 10)
        #expect(sketch.widest == 20)
        #expect(sketch.bars == "▄▄█")
    }

    @Test func jitterOfASteadyStream_isNotVisible() {
        #expect(sketch([0, 9.97, 20.02, 29.99, 40.01]).bars == "▄▄▄▄")
    }

    @Test(arguments: [63, 64, 65, 127, 128, 129, 1_000, 4_097, 100_000])
    func oneGapAmongManyTags_staysVisible(count: Int) {
        for gap in [1, count / 2, count - 1] {
            let sketch = sketch((0...count).map { Double($0 * 10 + ($0 >= gap ? 25 : 0)) })
            #expect(sketch.count == count)
            #expect(sketch.columns.count <= SpacingSketch.maximumColumns)
            #expect(sketch.columns.count { $0 == 35 } == 1)
            #expect(sketch.widest == 35)
            #expect(sketch.median == 10)
        }
    }

    @Test func nonFinitePositions_areIgnored() {
        #expect(sketch([0, .nan, .infinity, 10]).columns == [10])
    }

    @Test func spacing_ofBackwardAndHugeJumps_isLimited() {
        let sketch = sketch([1e300, 0, 1e300])
        #expect(sketch.narrowest == 0)
        #expect(sketch.median == 0)
        #expect(sketch.count == 2)
    }
}
