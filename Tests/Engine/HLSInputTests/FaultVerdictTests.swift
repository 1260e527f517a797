import NielsenID3
import StreamHealth
import StreamSynthesis
import TestSupport
import Testing

@testable import HLSInput

/// Each fault of the synthesizer is found under its name, and nothing else is found.
///
/// The expected findings are in docs/faults.md, with the reason for each additional check. The synthesis of audio keeps
/// a processor busy, so the streams are made one at a time, which leaves the other processors to other tests.
@Suite(.timeLimit(.minutes(30)), .serialized) struct FaultVerdictTests {
    /// Makes a stream of one audio rendition, or of two if they are compared.
    ///
    /// Audio alone is fast to make, and carries tags in the same way as with video.
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

    /// Returns the containers in which a fault is tested.
    ///
    /// These are its own container, or transport streams; and other containers if the carriage of a tag or the origin
    /// of its time affects the fault.
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
        // `presence.silent` applies only to live streams.
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
    func fault_triggersItsCheckAndOnlyKnownConsequences(
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
