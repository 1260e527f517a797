import DTVRKit
import Foundation
import Testing

/// The texts of `localizedDescription`, which without the conformances contain only a type and a number.
@Suite(.timeLimit(.minutes(30))) struct LocalizedErrorTests {
    @Test func errors_ofEachModule_haveReadableDescriptions() {
        let errors: [(any Error, String)] = [
            (
                DemuxError.libavformat(code: -12, operation: .openInput, offset: 7),
                "libavformat failed at byte 7 of the segment (openInput, code -12)"
            ),
            (
                DemuxError.unknownContainer(byteCount: 2996),
                "not a media segment: 2996 bytes in an unknown container (known: transport stream, fragmented MP4, packed audio)"
            ),
            (DemuxError.unknownContainer(byteCount: 0), "the segment is empty"),
            (InputError.empty("a.ts"), "a.ts: is empty"),
            (StoreError.inUse(pid: nil), StoreError.inUse(pid: nil).description),
        ]
        for (error, text) in errors { #expect(error.localizedDescription == text) }
    }

    @Test func missingFile_isNamedInTheError() async throws {
        let fetcher = try ResourceFetcher(
            client: HTTPClient(settings: HTTPClientSettings(userAgent: "example/1.0")))
        do {
            _ = try await InputResolver(fetcher: fetcher).resolve("/nowhere/index.m3u8")
            Issue.record("a missing file was opened")
        } catch {
            #expect((error as any Error).localizedDescription == error.message)
            #expect(error.message.contains("/nowhere/index.m3u8"))
        }
    }
}
