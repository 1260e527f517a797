import TestSupport
import Testing

@testable import HLSInput

@Suite struct InputAddressTests {
    @Test func argument_inEachForm_isParsedAsItsAddress() {
        let arguments: [(String, InputAddress)] = [
            ("-", .standardInput), ("./-", .path("./-")), ("a b.ts", .path("a b.ts")),
            ("/a%20b", .path("/a%20b")),
            ("http://h/x", .network("http://h/x")), ("HTTPS://h/x", .network("HTTPS://h/x")),
            ("file:///a%20b.ts", .path("/a b.ts")), ("odd:name.ts", .path("odd:name.ts")),
        ]
        for (argument, address) in arguments { #expect(InputAddress(argument: argument) == address) }
    }

    @Test func networkPlaylist_mayReferenceOnlyNetworkAddresses() throws {
        let playlist = InputAddress.network("https://h/live/index.m3u8")
        #expect(try playlist.resolving("seg1.ts") == .network("https://h/live/seg1.ts"))
        #expect(try playlist.resolving("../v/seg1.ts?x#y") == .network("https://h/v/seg1.ts?x#y"))
        #expect(try playlist.resolving("//other/seg1.ts") == .network("https://other/seg1.ts"))
        #expect(try playlist.resolving("-") == .network("https://h/live/-"))
        #expect(try playlist.resolving("data:text/plain,x") == .data("data:text/plain,x"))
        for reference in ["file:///etc/passwd", "FILE:/etc/passwd", "file:passwd"] {
            #expect(throws: InputError.forbiddenAddress(reference, playlist: "https://h/live/index.m3u8")) {
                try playlist.resolving(reference)
            }
        }
        for reference in ["ftp://h/x", "skd://key"] {
            #expect(throws: InputError.self) { try playlist.resolving(reference) }
        }
    }

    @Test func localPlaylist_mayReferenceFilesAndNetworkAddresses() throws {
        let playlist = InputAddress.path("/streams/a/index.m3u8")
        #expect(try playlist.resolving("seg1.ts") == .path("/streams/a/seg1.ts"))
        #expect(try playlist.resolving("../b/seg1.ts") == .path("/streams/b/seg1.ts"))
        #expect(try playlist.resolving("file:///x/seg%201.ts") == .path("/x/seg 1.ts"))
        #expect(try playlist.resolving("http://h/seg1.ts") == .network("http://h/seg1.ts"))
        #expect(try InputAddress.standardInput.resolving("seg1.ts") == .path("seg1.ts"))
    }

    @Test func nameWithAColon_isAFileIfItExists() throws {
        let folder = try TemporaryFolder()
        let segment = try folder.write("part:1.ts", "x")
        let playlist = InputAddress.path(folder.path + "/index.m3u8")
        #expect(try playlist.resolving("part:1.ts") == .path(segment))
        #expect(throws: InputError.unsupportedScheme("part", reference: "part:2.ts")) {
            try playlist.resolving("part:2.ts")
        }
    }
}
