import ID3v2
import Testing

@testable import StreamHealth

/// The groups of renditions that carry the tags of a presentation together.
@Suite struct RenditionUnitsTests {
    private static func facts(hasAudio: Bool?) -> CarriageFacts {
        var facts = CarriageFacts()
        facts.hasAudio = hasAudio
        return facts
    }

    /// Returns the units of two variants that name one audio rendition, by whether the first segments have audio.
    private static func units(_ hasAudio: [Bool?]) -> [[Int]] {
        var units = RenditionUnits(names: ["low", "high", "sound"], audio: ["sound", "sound", nil])
        for (rendition, hasAudio) in hasAudio.enumerated() {
            units.observe(facts(hasAudio: hasAudio), rendition: rendition, isLast: hasAudio == nil)
        }
        #expect(units.isSettled)
        return units.units
    }

    @Test func variantsWithAudio_andTheirAudioRendition_formSeparateUnits() {
        #expect(Self.units([true, true, true]) == [[0], [1], [2]])
    }

    @Test func variantsWithoutAudio_formUnitsWithTheAudioOfTheirGroup() {
        #expect(Self.units([false, false, true]) == [[0, 2], [1, 2]])
    }

    @Test func audio_alsoNamedByVariantWithAudio_formsItsOwnUnit() {
        #expect(Self.units([true, false, true]) == [[0], [1, 2], [2]])
    }

    @Test func variantWithUnknownAudio_formsUnitWithItsAudio() {
        #expect(Self.units([nil, true, true]) == [[0, 2], [1], [2]])
    }

    @Test func variantWithoutAudio_whoseAudioIsNotRead_formsItsOwnUnit() {
        var units = RenditionUnits(names: ["low"], audio: ["sound"])
        #expect(!units.isSettled)
        units.observe(nil, rendition: 0, isLast: false)
        #expect(!units.isSettled)
        units.observe(Self.facts(hasAudio: false), rendition: 0, isLast: false)
        #expect(units.isSettled)
        #expect(units.units == [[0]])
    }

    @Test func renditionsNamingNoAudio_areUnitsFromTheStart() {
        let units = RenditionUnits(names: [nil], audio: [nil])
        #expect(units.isSettled)
        #expect(units.units == [[0]])
        // An audio playlist that is also a variant names itself.
        let itself = RenditionUnits(names: ["sound"], audio: ["sound"])
        #expect(itself.isSettled && itself.units == [[0]])
    }
}
