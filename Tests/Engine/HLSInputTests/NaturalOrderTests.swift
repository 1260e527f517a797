import Testing

@testable import HLSInput

@Suite struct NaturalOrderTests {
    /// Each name precedes all later ones, but not itself.
    @Test func names_inNaturalOrder_compareCorrectlyInEveryPair() {
        let names = [
            "", "Seg1.ts", "seg", "seg0.ts", "seg1.ts", "seg01.ts", "seg2.m4s", "seg2.ts", "seg10.ts",
            "seg10a2.ts",
            "seg10a10.ts", "seg99999999999999999999998.ts", "seg99999999999999999999999.ts", "ö1",
        ]
        for (leftIndex, left) in names.enumerated() {
            for (rightIndex, right) in names.enumerated() where left != right {
                // Names that differ only in a leading zero are ordered by their bytes.
                if Set([left, right]) == ["seg1.ts", "seg01.ts"] { continue }
                #expect(NaturalOrder.precedes(left, right) == (leftIndex < rightIndex), "\(left) \(right)")
            }
            #expect(!NaturalOrder.precedes(left, left))
        }
        #expect(NaturalOrder.precedes("seg1.ts", "seg01.ts") != NaturalOrder.precedes("seg01.ts", "seg1.ts"))
    }
}
