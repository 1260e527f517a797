import CDTVRLibAV
import Foundation
import Glibc
import TestSupport
import Testing

@testable import StreamSynthesis

struct StreamSynthesizerTests {
    private static func tiny() -> SynthesisSettings { SynthesisSettings.soundOnly(duration: 2) }

    @Test func directory_withForeignFiles_isRefusedAndLeftAlone() throws {
        let directory = try TemporaryFolder()
        let foreign = directory.path + "/index.m3u8"
        try "#EXTM3U\n".write(toFile: foreign, atomically: true, encoding: .utf8)
        #expect(throws: SynthesisError.directoryInUse(path: directory.path)) {
            try StreamSynthesizer(Self.tiny()).write(to: directory.path)
        }
        #expect(try String(contentsOfFile: foreign, encoding: .utf8) == "#EXTM3U\n")
        var settings = Self.tiny()
        settings.overwrite = true
        _ = try StreamSynthesizer(settings).write(to: directory.path)
        #expect(try String(contentsOfFile: foreign, encoding: .utf8).contains("audio/index.m3u8"))
    }

    @Test func directory_withEarlierOutput_keepsOnlyForeignFiles() throws {
        let directory = try TemporaryFolder()
        var longer = SynthesisSettings.soundOnly(duration: 30)
        longer.renditions.append(.init(name: "other", video: nil))
        _ = try StreamSynthesizer(longer).write(to: directory.path)
        let note = directory.path + "/audio/note.txt"
        try "mine".write(toFile: note, atomically: true, encoding: .utf8)
        let report = try StreamSynthesizer(Self.tiny()).write(to: directory.path)
        let left = try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted()
        #expect(left == ["audio", "audio/index.m3u8", "audio/note.txt", "audio/seg00000.ts", "index.m3u8"])
        #expect(report.files.map(\.path) == ["audio/seg00000.ts", "audio/index.m3u8", "index.m3u8"])
    }

    @Test func directory_belowAFile_isAFileError_withItsCode() throws {
        let directory = try TemporaryFolder()
        let path = directory.path + "/file"
        try "".write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: SynthesisError.self) {
            try StreamSynthesizer(Self.tiny()).write(to: path + "/stream")
        }
        guard case .file(path + "/stream", _, ENOTDIR) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func directory_thatIsAFile_isAFileError() throws {
        let directory = try TemporaryFolder()
        let path = directory.path + "/file"
        try "".write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: SynthesisError.self) {
            try StreamSynthesizer(Self.tiny()).write(to: path)
        }
        guard case .file(path, _, _) = error else {
            Issue.record("not a file error: \(String(describing: error))")
            return
        }
    }

    @Test func output_ofTheSameSettings_isByteIdentical() throws {
        var settings = SynthesisSettings()
        settings.duration = 8
        settings.renditions[1].container = .fragmentedMP4
        settings.renditions[2].container = .packedAudio
        let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
        let report = try StreamSynthesizer(settings).write(to: first.path)
        #expect(try StreamSynthesizer(settings).write(to: second.path) == report)
        #expect(report.files.count == 2 + 2 + 2 + 1 + 3 + 1)
        for file in report.files {
            let contents = FileManager.default.contents(atPath: "\(first.path)/\(file.path)")
            #expect(contents != nil && contents?.count == file.byteCount)
            #expect(contents == FileManager.default.contents(atPath: "\(second.path)/\(file.path)"))
        }
    }

    @Test func progress_overARun_risesToOne() throws {
        let directory = try TemporaryFolder()
        var parts: [Double] = []
        _ = try StreamSynthesizer(SynthesisSettings.soundOnly(duration: 30)).write(to: directory.path) {
            parts.append($0)
        }
        #expect(parts == [0.2, 0.4, 0.6, 0.8, 1])
    }

    @Test func bulk_reachesItsBitrate() throws {
        let directory = try TemporaryFolder()
        let report = try StreamSynthesizer(.bulk(bitrate: 2_000_000, duration: 12)).write(to: directory.path)
        let bitrate = Double(report.byteCount) * 8 / 12
        #expect(bitrate > 2_000_000 && bitrate < 2_300_000)
        #expect(report.tags.count == 2)
    }

    @Test func encoder_thatIsNotInstalled_isNamedInTheError() {
        #expect(throws: SynthesisError.encoderMissing(name: "no-such-encoder")) {
            _ = try unsafe Encoder.open("no-such-encoder", options: []) { _, _ in }
        }
        #expect(throws: SynthesisError.muxerMissing(name: "no-such-muxer")) {
            _ = try Muxer("no-such-muxer")
        }
        #expect(throws: SynthesisError.self) {
            _ = try unsafe Encoder.open("aac", options: [("no-such-option", "1")]) { context, _ in
                unsafe context.pointee.sample_rate = 48_000
            }
        }
    }

    @Test func fault_isFoundOnlyByItsExactID() {
        #expect(throws: SynthesisError.unknownFault(id: "tag.nonsense")) {
            try SynthesisFault.named("tag.nonsense")
        }
        for fault in SynthesisFault.allCases {
            #expect(throws: SynthesisError.unknownFault(id: fault.id.uppercased())) {
                try SynthesisFault.named(fault.id.uppercased())
            }
            #expect(throws: Never.self) { try SynthesisFault.named(fault.id) }
        }
    }

    @Test(arguments: SynthesisFault.allCases)
    func fault_inAStreamTooShort_isRefused(fault: SynthesisFault) {
        var settings = SynthesisSettings()
        let needed = fault.minimumDuration(tagInterval: 10)
        settings.fault = fault
        settings.duration = needed - 0.5
        #expect(throws: SynthesisError.faultNeedsDuration(fault: fault, seconds: needed)) {
            try settings.validate()
        }
    }

    @Test func settings_outOfRange_areRefusedByName() {
        let wrong: [(String, (inout SynthesisSettings) -> Void)] = [
            ("duration", { $0.duration = 0 }), ("duration", { $0.duration = .nan }),
            ("duration", { $0.duration = .infinity }), ("duration", { $0.duration = 48 * 3600 + 1 }),
            ("segmentDuration", { $0.segmentDuration = 0.5 }),
            ("segmentDuration", { $0.segmentDuration = .nan }),
            ("tagInterval", { $0.tagInterval = 0 }), ("tagInterval", { $0.tagInterval = 13 }),
            ("infoInterval", { $0.infoInterval = 19 }), ("startPTS", { $0.startPTS = 1 << 33 }),
            ("startTime", { $0.startTime = .max }), ("startTime", { $0.startTime = 0 }),
            ("programDateTime", { $0.programDateTime = -1 }),
            ("programDateTime", { $0.programDateTime = .max }),
            ("eventScheme", { $0.eventScheme.version = 2 }), ("renditions", { $0.renditions = [] }),
            ("renditions", { $0.renditions[0].name = "../up" }),
            ("renditions", { $0.renditions[0].name = "" }),
            ("renditions", { $0.renditions[0].name = $0.renditions[1].name }),
            ("container", { $0.renditions[0].container = .packedAudio }),
            ("video", { $0.renditions[0].video?.width = 641 }),
            ("video", { $0.renditions[0].video?.height = 0 }),
            ("video", { $0.renditions[0].video?.maximumBitrate = .max }),
        ]
        for (name, spoil) in wrong {
            var settings = SynthesisSettings()
            spoil(&settings)
            let error = #expect(throws: SynthesisError.self) { try settings.validate() }
            guard case .setting(name, _) = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
        }
    }

    @Test func faults_withoutTheirPrerequisites_areRefused() {
        for fault in [
            SynthesisFault.pmtDescriptors, .emsgForm, .renditionTagsDiffer, .timeWallClock, .continuity,
        ] {
            var settings = SynthesisSettings.soundOnly(fault, duration: 200)
            settings.programDateTime = nil
            if fault.container == .transportStream { settings.use(.packedAudio) }
            let error = #expect(throws: SynthesisError.self) { try settings.validate() }
            guard case .faultNeeds(fault, _) = error else {
                Issue.record("\(fault): \(String(describing: error))")
                continue
            }
        }
    }
}
