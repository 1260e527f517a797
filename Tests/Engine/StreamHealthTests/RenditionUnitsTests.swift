import Testing
import TimedMedia

@testable import StreamHealth

/// Which renditions carry the tags of a presentation together.
@Suite struct RenditionUnitsTests {
    private static func facts(hasAudio: Bool?) -> CarriageFacts {
        var facts = CarriageFacts()
        facts.hasAudio = hasAudio
        return facts
    }

    /// Two variants that name one audio rendition, the first segments of which have audio or not.
    private static func roles(_ hasAudio: [Bool?]) -> [RenditionDescription.Role] {
        var units = RenditionUnits(names: ["low", "high", "sound"], audio: ["sound", "sound", nil])
        for (rendition, hasAudio) in hasAudio.enumerated() {
            units.observe(facts(hasAudio: hasAudio), rendition: rendition, isLast: hasAudio == nil)
        }
        #expect(units.isSettled)
        return units.descriptions.map(\.role)
    }

    @Test func variantsWithAudioOfTheirOwn_standAlone_andSoDoesTheAudio() {
        #expect(Self.roles([true, true, true]) == [.complete, .complete, .complete])
    }

    @Test func variantsWithoutAudio_countTogetherWithTheAudioOfTheirGroup() {
        #expect(Self.roles([false, false, true]) == [.video(audio: 2), .video(audio: 2), .defaultAudio])
    }

    @Test func audioThatAVariantWithAudioNamesToo_standsAlone() {
        #expect(Self.roles([true, false, true]) == [.complete, .video(audio: 2), .complete])
    }

    @Test func variantThatNeverTold_countsTogetherWithItsAudio() {
        #expect(Self.roles([nil, true, true]) == [.video(audio: 2), .complete, .complete])
    }

    @Test func variantWhoseAudioIsNotRead_isAVariantWithoutAny() {
        var units = RenditionUnits(names: ["low"], audio: ["sound"])
        #expect(!units.isSettled)
        units.observe(nil, rendition: 0, isLast: false)
        #expect(!units.isSettled)
        units.observe(Self.facts(hasAudio: false), rendition: 0, isLast: false)
        #expect(units.isSettled)
        #expect(units.descriptions == [.init(name: "low", role: .video(audio: nil))])
    }

    @Test func renditionsThatNameNoAudio_areProgrammesFromTheStart() {
        let units = RenditionUnits(names: [nil], audio: [nil])
        #expect(units.isSettled)
        #expect(units.descriptions == [.init(name: nil)])
        // An audio playlist that is a variant too names itself.
        let itself = RenditionUnits(names: ["sound"], audio: ["sound"])
        #expect(itself.isSettled && itself.descriptions.map(\.role) == [.complete])
    }
}
