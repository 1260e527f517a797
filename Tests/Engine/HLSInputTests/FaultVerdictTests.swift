import NielsenID3
import StreamHealth
import StreamSynthesis
import TestSupport
import Testing

@testable import HLSInput

/// Each fault that the synthesizer can make is found, under its name, and nothing is found that is not there.
///
/// What is expected stands in docs/faults.md, with the reason for each check that is hit beside. Making sound keeps a
/// processor busy: one stream at a time leaves the others to other tests.
@Suite(.timeLimit(.minutes(30)), .serialized) struct FaultVerdictTests {
    /// One rendition of sound alone, or two where they are to differ: quickly made, and tags are carried as beside
    /// pictures.
    private static func stream(
        _ container: SynthesisSettings.Container, with fault: SynthesisFault?
    ) throws -> TemporaryFolder {
        var settings = SynthesisSettings()
        let names =
            switch fault {
            case nil, .renditionTagsDiffer, .renditionTimeDiffers: ["one", "two"]
            default: ["one"]
            }
        settings.renditions = names.map { .init(name: $0, video: nil) }
        settings.fault = fault
        settings.use(container)
        // Long enough for the fault and for a count of the tags, and no longer.
        let needed = max(62, fault?.minimumDuration(tagInterval: settings.tagInterval) ?? 0)
        settings.duration = min(fault?.fittingDuration ?? needed, needed)
        let folder = try TemporaryFolder()
        _ = try StreamSynthesizer(settings).write(to: folder.path)
        return folder
    }

    /// The containers in which a fault is tried: its own, or transport streams; and the others where what carries a
    /// tag, or how its time comes about, has a part in it.
    private static func containers(of fault: SynthesisFault) -> [SynthesisSettings.Container] {
        if let only = fault.container { return [only] }
        switch fault {
        case .timeAudioSync, .timeWallClock, .ownerPresent, .renditionTimeDiffers:
            return [.transportStream, .fragmentedMP4]
        case .renditionTagsDiffer: return [.transportStream, .packedAudio]
        case .id3Malformed, .sequenceStep: return [.transportStream, .fragmentedMP4, .packedAudio]
        default: return [.transportStream]
        }
    }

    @Test func table_hasARowForEachFault() throws {
        #expect(try FaultTable().rows.map(\.fault) == SynthesisFault.allCases)
        // presence.silent is of live streams.
        let faults = Set(SynthesisFault.allCases.map(\.id))
        #expect(Set(CheckID.all.map(\.rawValue)).subtracting(faults) == ["presence.silent"])
    }

    @Test(arguments: SynthesisSettings.Container.allCases)
    func stream_withoutAFault_passesEveryCheckThatRuns(container: SynthesisSettings.Container) async throws {
        let folder = try Self.stream(container, with: nil)
        let judged = try await JudgedInput(folder.path + "/index.m3u8")
        #expect(judged.hits.isEmpty, "\(judged.hits)")
        #expect(judged.verdict.status == .pass)
        #expect(judged.verdict.tags.data == 6 && judged.verdict.tags.info == 1)
        #expect(judged.verdict.renditions == ["one/index.m3u8", "two/index.m3u8"])
        #expect(judged.verdict.failedSegmentCount == 0)
        #expect(abs(judged.verdict.duration - 62) < 0.1)
    }

    @Test(
        arguments: SynthesisFault.allCases.flatMap { fault in
            containers(of: fault).map { (fault, $0) }
        })
    func fault_hitsItsCheckAndOnlyWhatFollows(
        fault: SynthesisFault, container: SynthesisSettings.Container
    ) async throws {
        let row = try #require(try FaultTable().rows.first { $0.fault == fault })
        let folder = try Self.stream(container, with: fault)
        let judged = try await JudgedInput(folder.path + "/index.m3u8")
        let outcome = judged[row.expected.id]
        #expect(outcome.status == row.expected.status, "\(outcome)")
        #expect(outcome.count > 0)
        #expect(outcome.findings.contains { $0.status == row.expected.status })
        var others = judged.hits
        others[row.expected.id] = nil
        #expect(Set(others.keys) == row.consequences, "\(others)")
    }
}
