import SegmentDemux
import Testing

@testable import HLSInput

@Suite struct InitializationsTests {
    private static func section(_ number: Int) -> Presentation.Initialization {
        Presentation.Initialization(
            name: "\(number)", address: .path("/\(number)"), byteRange: nil, encryption: nil, unreadable: nil)
    }

    /// The last eight sections are kept; one before them is read again.
    @Test func sections_beyondTheLimit_areForgottenOldestFirst() {
        var initializations = Initializations(isLive: false)
        for number in 0..<20 {
            let isDue = initializations.begin(Self.section(number), isDiscontinuous: false)
            #expect(isDue)
            initializations.succeed(InitializationState())
        }
        for number in 12..<20 {
            let isDue = initializations.begin(Self.section(number), isDiscontinuous: false)
            #expect(!isDue, "\(number)")
        }
        let isDue = initializations.begin(Self.section(11), isDiscontinuous: false)
        #expect(isDue)
    }
}
